// Reads a TextMate grammar as Visual Studio Code does. As a program: prints the scopes of files as JSON, one token per
// element of a line, for the tests that compare them with the language server.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

/** Returns the grammar of mcl. */
export async function grammar() {
  const wasm = await readFile(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const path = fileURLToPath(new URL('../syntaxes/mcl.tmLanguage.json', import.meta.url));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === 'source.mcl' ? textmate.parseRawGrammar(await readFile(path, 'utf8'), path) : null,
  });
  const loaded = await registry.loadGrammar('source.mcl');
  return {
    /** Returns the tokens of each line, and whether the text ends in the state in which it began. */
    tokens(text) {
      let state = textmate.INITIAL;
      const lines = text.split('\n').map((line) => {
        const result = loaded.tokenizeLine(line, state);
        state = result.ruleStack;
        return result.tokens.map(({ startIndex, endIndex, scopes }) => ({
          text: line.slice(startIndex, endIndex),
          start: Buffer.byteLength(line.slice(0, startIndex)),
          end: Buffer.byteLength(line.slice(0, endIndex)),
          // The first scope is that of the whole text.
          scopes: scopes.slice(1),
        }));
      });
      return { lines, isComplete: state.depth === 1 };
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const loaded = await grammar();
  const files = {};
  const paths = (readFileSync(0, 'utf8')).split('\0').filter((path) => path !== '');
  for (const path of paths) {
    files[path] = loaded.tokens(await readFile(path, 'utf8'));
  }
  process.stdout.write(JSON.stringify(files));
}
