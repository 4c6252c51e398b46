// Commands that show what the server knows: the resource graph of a program, the explanation of an error, references.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, type LanguageClient } from 'vscode-languageclient/node';

/** A place as the protocol writes it. */
interface Place {
  readonly uri: string;
  readonly range: { readonly start: Point; readonly end: Point };
}

interface Point {
  readonly line: number;
  readonly character: number;
}

/** Asks the server for a text, and shows it beside the program. */
async function show(client: LanguageClient | undefined, command: string, argument: string, language: string): Promise<void> {
  if (client === undefined) {
    await vscode.window.showErrorMessage('The language server of mcl is not running.');
    return;
  }
  try {
    const content: unknown = await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
    const document = await vscode.workspace.openTextDocument({ content: String(content), language });
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  } catch (error) {
    await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

/** The editor of a program, or a message that there is none. */
async function program(): Promise<vscode.TextEditor | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId === 'mcl') {
    return editor;
  }
  await vscode.window.showErrorMessage('Open a program of mcl first.');
  return undefined;
}

/** Shows the resource graph of the active program, with its unsaved changes, in the language of Graphviz. Applies nothing. */
export async function showGraph(client: LanguageClient | undefined): Promise<void> {
  const editor = await program();
  if (editor !== undefined) {
    await show(client, 'mclc.showGraph', editor.document.uri.toString(), 'dot');
  }
}

/** Shows the explanation of the error or warning at the cursor. */
export async function explain(client: LanguageClient | undefined): Promise<void> {
  const editor = await program();
  if (editor === undefined) {
    return;
  }
  const line = editor.selection.active.line;
  const found = vscode.languages
    .getDiagnostics(editor.document.uri)
    .find(({ range }) => range.start.line <= line && line <= range.end.line);
  const code = typeof found?.code === 'object' ? found.code.value : found?.code;
  if (code === undefined) {
    await vscode.window.showInformationMessage('There is no error on this line.');
    return;
  }
  await show(client, 'mclc.explain', String(code), 'markdown');
}

/** Shows the places where a class or function is used. */
export async function showReferences(uri: string, at: Point, places: readonly Place[]): Promise<void> {
  const position = ({ line, character }: Point): vscode.Position => new vscode.Position(line, character);
  const locations = places.map(
    ({ uri, range }) =>
      new vscode.Location(vscode.Uri.parse(uri), new vscode.Range(position(range.start), position(range.end))),
  );
  await vscode.commands.executeCommand('editor.action.showReferences', vscode.Uri.parse(uri), position(at), locations);
}
