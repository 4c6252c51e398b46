// The client with the real `mclc lsp`, in an editor that is a stub: it starts, reports errors, and stops.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

import { makeEditor } from './editor.mjs';

const require = createRequire(import.meta.url);

/** Loads the compiled extension with this editor in place of the module `vscode`. */
function load(editor) {
  const load = Module._load;
  Module._load = (request, ...rest) => (request === 'vscode' ? editor.vscode : load(request, ...rest));
  const path = require.resolve('../out/extension.js');
  delete require.cache[path];
  try {
    return require(path);
  } finally {
    Module._load = load;
  }
}

async function withProgram(text, use) {
  const directory = await mkdtemp(join(tmpdir(), 'mcl-client-'));
  try {
    const path = join(directory, 'main.mcl');
    await writeFile(path, text);
    await use(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

test('errors of an open program appear, and the server ends with the editor', async () => {
  await withProgram('$x = $y\n', async (path) => {
    const editor = makeEditor();
    const extension = load(editor);
    editor.open(path, '$x = $y\n');
    await extension.activate(editor.context);
    const [first] = await editor.diagnostics();
    assert.equal(first.code, 'E0601');
    assert.equal(first.range.start.line, 0);
    assert.equal(first.range.start.character, 5);
    await extension.deactivate();
    assert.deepEqual(editor.errors, []);
  });
});

test('the graph of a program is shown beside it', async () => {
  await withProgram('noop "a" {}\n', async (path) => {
    const editor = makeEditor();
    const extension = load(editor);
    editor.open(path, 'noop "a" {}\n');
    await extension.activate(editor.context);
    await editor.command('mclc.showGraph');
    assert.deepEqual(editor.errors, []);
    assert.match(editor.shown.content, /^(strict )?digraph/);
    assert.match(editor.shown.content, /noop\[a\]/i);
    await extension.deactivate();
  });
});

test('a missing compiler is one message', async () => {
  const editor = makeEditor({ path: '/nonexistent/mclc' });
  const extension = load(editor);
  await extension.activate(editor.context);
  assert.equal(editor.errors.length, 1);
  assert.match(editor.errors[0], /mclc\.path/);
  await extension.deactivate();
});
