// Shows the resource graph of the program in the active editor, in the language of Graphviz. Nothing is applied.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import * as vscode from 'vscode';

const run = promisify(execFile);

/** The largest graph that is shown, in bytes. */
const MAX_GRAPH = 64 * 1024 * 1024;

/** The standard error of a command that failed, or what stands for it. */
function reason(error: unknown): string {
  if (error instanceof Error) {
    const printed = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
    return printed === '' ? error.message : printed;
  }
  return String(error);
}

async function graphOf(program: string): Promise<string> {
  const settings = vscode.workspace.getConfiguration('mclc');
  const modules = settings.get<string>('modulePath', '');
  const directory = await mkdtemp(join(tmpdir(), 'mcl-graph-'));
  try {
    const artifact = join(directory, 'main.bin');
    const options = modules === '' ? [] : ['--module-path', modules];
    await run(settings.get<string>('path', 'mclc'), ['build', program, '-o', artifact, ...options]);
    const runtime = settings.get<string>('runtimePath', 'mgmt-rt');
    const graph = await run(runtime, ['graph', artifact, '--format', 'dot'], { maxBuffer: MAX_GRAPH });
    return graph.stdout;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export async function showGraph(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || document.languageId !== 'mcl') {
    await vscode.window.showErrorMessage('The resource graph belongs to a program: open its main file.');
    return;
  }
  // Both tools read files.
  await document.save();
  try {
    const content = await graphOf(document.fileName);
    const graph = await vscode.workspace.openTextDocument({ content, language: 'dot' });
    await vscode.window.showTextDocument(graph, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  } catch (error) {
    await vscode.window.showErrorMessage(`There is no resource graph: ${reason(error)}`);
  }
}
