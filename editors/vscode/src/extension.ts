// The extension: it starts `mclc lsp` and adds what the protocol has no words for, the resource graph and tasks.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import * as vscode from 'vscode';
import { type Executable, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';

import { showGraph } from './graph';
import { CheckTasks } from './tasks';

let client: LanguageClient | undefined;

const run = promisify(execFile);

/** The executable and its arguments, from the settings. */
function serverOptions(): Executable {
  const settings = vscode.workspace.getConfiguration('mclc');
  const modules = settings.get<string>('modulePath', '');
  const args = ['lsp', ...(modules === '' ? [] : ['--module-path', modules])];
  return { command: settings.get<string>('path', 'mclc'), args };
}

/** Says that the server cannot be started. Colours, snippets and tasks do not need it. */
async function report(error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const choice = await vscode.window.showErrorMessage(
    `Cannot start the language server of mcl: ${reason}. The setting mclc.path names the compiler.`,
    'Open Settings',
  );
  if (choice !== undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'mclc.path');
  }
}

async function start(output: vscode.OutputChannel): Promise<void> {
  const server = serverOptions();
  try {
    // The client would report a missing executable in its own words.
    await run(server.command, ['--version']);
  } catch (error) {
    await report(error);
    return;
  }
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file', language: 'mcl' }],
    outputChannel: output,
  };
  client = new LanguageClient('mclc', 'mcl', server, options);
  await client.start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Called by the editor when the first program is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('mcl');
  const restart = async (): Promise<void> => {
    await stop();
    await start(output);
  };
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand('mclc.restart', restart),
    vscode.commands.registerCommand('mclc.showOutput', () => output.show()),
    vscode.commands.registerCommand('mclc.showGraph', showGraph),
    vscode.tasks.registerTaskProvider('mclc', new CheckTasks()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('mclc.path') || change.affectsConfiguration('mclc.modulePath')) {
        await restart();
      }
    }),
  );
  await start(output);
}

/** Called by the editor before it ends. */
export function deactivate(): Promise<void> {
  return stop();
}
