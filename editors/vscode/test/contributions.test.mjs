// What package.json contributes beside the client: snippets are programs, and the problem matcher finds errors.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import test from 'node:test';

const read = async (path) => JSON.parse(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'));

/** Runs the compiler on a program. */
function mclc(args, program) {
  const result = spawnSync('mclc', args, { input: program, encoding: 'utf8' });
  assert.equal(result.error, undefined);
  return result;
}

/** The text of a snippet whose placeholders are left as they are. */
function expanded(body) {
  let text = body.join('\n');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/(?<!\\)\$\{\d+:((?:[^{}\\]|\\.)*)\}/g, '$1');
  }
  return text.replace(/(?<!\\)\$\{?\d+\}?/g, '').replace(/\\\$/g, '$') + '\n';
}

test('every snippet is a program without syntax errors', async () => {
  for (const [name, { body }] of Object.entries(await read('snippets/mcl.json'))) {
    const program = expanded(body);
    // A name that the program does not define, or a file that is not there, is not a matter of the snippet.
    const { stdout, stderr } = mclc(['check', '--format', 'short', '-'], program);
    const wrong = (stdout + stderr).split('\n').filter((line) => /error\[E0[12]/.test(line));
    assert.deepEqual(wrong, [], `${name}:\n${program}`);
  }
});

test('the problem matcher finds errors and warnings', async () => {
  const { pattern } = (await read('package.json')).contributes.problemMatchers[0];
  const { stdout, stderr } = mclc(['check', '--format', 'short', '-'], '$x = $y\n$l = [1,]\n');
  const found = (stdout + stderr)
    .split('\n')
    .map((line) => new RegExp(pattern.regexp).exec(line))
    .filter((match) => match !== null)
    .map((match) => [match[pattern.line], match[pattern.column], match[pattern.severity], match[pattern.code]])
    .sort();
  assert.deepEqual(found, [
    ['1', '6', 'error', 'E0601'],
    ['2', '8', 'warning', 'W0101'],
  ]);
});
