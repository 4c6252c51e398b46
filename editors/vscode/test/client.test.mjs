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

/** Activates the extension in an editor, and deactivates it however the test ends. */
async function withExtension(editor, use) {
  const extension = load(editor);
  try {
    await extension.activate(editor.context);
    await use();
  } finally {
    await extension.deactivate();
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

test('errors of an open program appear', async () => {
  await withProgram('$x = $y\n', async (path) => {
    const editor = makeEditor();
    editor.open(path, '$x = $y\n');
    await withExtension(editor, async () => {
      const [first] = await editor.diagnostics();
      assert.equal(first.code, 'E0601');
      assert.equal(first.range.start.line, 0);
      assert.equal(first.range.start.character, 5);
    });
    assert.deepEqual(editor.errors, []);
  });
});

test('errors of an open manifest appear, unless they are not wanted', async () => {
  const editor = makeEditor();
  editor.open('/nowhere/site.pp', "notify { 'a': }}\n");
  await withExtension(editor, async () => {
    const [first] = await editor.diagnostics();
    assert.match(first.code, /^P0/);
    assert.equal(first.range.start.character, 15);
  });
  const without = makeEditor({ puppet: false });
  without.open('/nowhere/site.pp', "notify { 'a': }}\n");
  without.open('/nowhere/main.mcl', '$x = $y\n');
  await withExtension(without, () => without.diagnostics());
  assert.deepEqual([...without.diagnosed], ['/nowhere/main.mcl']);
});

test('the graph of a program is shown beside it, with unsaved changes', async () => {
  await withProgram('noop "saved" {}\n', async (path) => {
    const editor = makeEditor();
    editor.open(path, 'noop "edited" {}\n');
    await withExtension(editor, () => editor.command('mcl.showGraph'));
    assert.deepEqual(editor.errors, []);
    assert.match(editor.shown.content, /^(strict )?digraph/);
    assert.match(editor.shown.content, /noop\[edited\]/i);
  });
});

test('the error at the cursor is explained', async () => {
  await withProgram('$x = $y\n', async (path) => {
    const editor = makeEditor();
    editor.open(path, '$x = $y\n');
    await withExtension(editor, async () => {
      await editor.diagnostics();
      await editor.command('mcl.explain');
    });
    assert.deepEqual(editor.errors, []);
    assert.match(editor.shown.content, /^# E0601/);
  });
});

test('a lens shows references', async () => {
  const editor = makeEditor();
  const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
  await withExtension(editor, () =>
    editor.command('mclc.showReferences', 'file:///a.mcl', range.start, [{ uri: 'file:///b.mcl', range }]),
  );
  const [[name, , position, [place]]] = editor.executed;
  assert.equal(name, 'editor.action.showReferences');
  assert.equal(position.character, 2);
  assert.equal(place.uri.fsPath, '/b.mcl');
  assert.equal(place.range.end.character, 5);
});

test('a missing compiler is one message', async () => {
  const editor = makeEditor({ 'server.path': '/nonexistent/mclc' });
  await withExtension(editor, () => {});
  assert.equal(editor.errors.length, 1);
  assert.match(editor.errors[0], /mcl\.server\.path/);
});
