// The extension: it starts `mclc lsp`, and adds commands and tasks.
//
// There are two sections of settings: `mcl` is the extension's own, `mclc` is that of the server, which asks for it. The
// client registers the server's commands, `mclc.NAME`; those of the extension are `mcl.NAME`.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import * as vscode from 'vscode';
import { type Executable, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';

import { explain, showGraph, showReferences } from './commands';
import { CheckTasks } from './tasks';

let client: LanguageClient | undefined;

const run = promisify(execFile);

function serverOptions(): Executable {
  return { command: vscode.workspace.getConfiguration('mcl').get<string>('server.path', 'mclc'), args: ['lsp'] };
}

/** The documents that the server knows. Manifests have no language of their own unless another extension defines it. */
function selector(): { scheme: string; language?: string; pattern?: string }[] {
  const programs = { scheme: 'file', language: 'mcl' };
  const manifests = { scheme: 'file', pattern: '**/*.{pp,epp}' };
  const wanted = vscode.workspace.getConfiguration('mcl').get<boolean>('puppet', true);
  return wanted ? [programs, manifests] : [programs];
}

/** Says that the server cannot be started. Colours, snippets and tasks do not need it. */
async function report(error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const choice = await vscode.window.showErrorMessage(
    `Cannot start the language server of mcl: ${reason}. The setting mcl.server.path names the compiler.`,
    'Open Settings',
  );
  if (choice !== undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'mcl.server.path');
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
    documentSelector: selector(),
    outputChannel: output,
    synchronize: { configurationSection: 'mclc' },
  };
  const starting = new LanguageClient('mcl', 'mcl', server, options);
  try {
    await starting.start();
    client = starting;
  } catch {
    // The client has reported it, and the editor goes on without the server.
  }
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
    vscode.commands.registerCommand('mcl.restart', restart),
    vscode.commands.registerCommand('mcl.showOutput', () => output.show()),
    vscode.commands.registerCommand('mcl.showGraph', () => showGraph(client)),
    vscode.commands.registerCommand('mcl.explain', () => explain(client)),
    // The command of a code lens, which the server leaves to its client.
    vscode.commands.registerCommand('mclc.showReferences', showReferences),
    vscode.tasks.registerTaskProvider('mclc', new CheckTasks()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('mcl.server') || change.affectsConfiguration('mcl.puppet')) {
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
