// Tasks that check or format all programs of a folder. Their errors become problems of the editor.

import * as vscode from 'vscode';

/** The commands of `mclc` that have a task, and their arguments. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  check: ['check', '--format', 'short', '.'],
  fmt: ['fmt', '.'],
};

interface Definition extends vscode.TaskDefinition {
  readonly command: string;
}

export class CheckTasks implements vscode.TaskProvider {
  provideTasks(): vscode.Task[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders.flatMap((folder) =>
      Object.keys(ARGUMENTS).map((command) => task({ type: 'mclc', command }, folder)),
    );
  }

  resolveTask(found: vscode.Task): vscode.Task | undefined {
    const definition = found.definition as Definition;
    const scope = found.scope;
    return definition.command in ARGUMENTS && typeof scope === 'object' ? task(definition, scope) : undefined;
  }
}

function task(definition: Definition, folder: vscode.WorkspaceFolder): vscode.Task {
  const compiler = vscode.workspace.getConfiguration('mcl', folder).get<string>('server.path', 'mclc');
  const execution = new vscode.ProcessExecution(compiler, [...(ARGUMENTS[definition.command] ?? [])], {
    cwd: folder.uri.fsPath,
  });
  const result = new vscode.Task(definition, folder, definition.command, 'mclc', execution, '$mclc');
  result.group = vscode.TaskGroup.Build;
  return result;
}
