// What single tokens are for the TextMate grammar.

import assert from 'node:assert/strict';
import test from 'node:test';

import { grammar } from './grammar.mjs';

const loaded = await grammar();

/** Checks the innermost scope of some words of a program. `[word, scope]` are in the order of the text. */
function check(program, ...expected) {
  const { lines, isComplete } = loaded.tokens(program);
  assert.ok(isComplete, 'the program ends outside of strings and brackets');
  const tokens = lines.flat();
  let at = 0;
  for (const [word, scope] of expected) {
    const found = tokens.findIndex((token, i) => i >= at && token.text.trim() === word);
    assert.notEqual(found, -1, `no token \`${word}\` in ${JSON.stringify(tokens.map((token) => token.text))}`);
    assert.equal(tokens[found].scopes.at(-1), `${scope}.mcl`, word);
    at = found + 1;
  }
}

test('comments', () => {
  check('# a "b\n$x = 1 # $y', ['# a "b', 'comment.line.number-sign'], ['# $y', 'comment.line.number-sign']);
});

test('strings', () => {
  check(
    '$s = "a # b ${c.d} \\n $e \\q ${F}"',
    ['"', 'punctuation.definition.string.begin'],
    ['${', 'punctuation.section.embedded.begin'],
    ['c.d', 'variable.other.readwrite'],
    ['}', 'punctuation.section.embedded.end'],
    ['\\n', 'constant.character.escape'],
    ['$e', 'string.quoted.double'],
    ['\\q', 'invalid.illegal.escape'],
    ['${F}', 'invalid.illegal.interpolation'],
    ['"', 'punctuation.definition.string.end'],
  );
  check('$s = "one\ntwo # no comment\n"\n$t = 1', ['two # no comment', 'string.quoted.double'], ['1', 'constant.numeric.integer']);
  check('$s = "c:\\\\"\n$t = "x"', ['\\\\', 'constant.character.escape'], ['$t', 'variable.other.readwrite']);
});

test('resources', () => {
  check(
    'aws:ec2 ["a"] {\n\tsize => 3,\n\tMeta:noop => true,\n\tBefore => File["/a"],\n}\nExec["a"].output -> Svc["b"].x',
    ['aws:ec2', 'entity.name.type.resource'],
    ['size', 'variable.other.property'],
    ['Meta', 'keyword.other.meta'],
    ['noop', 'keyword.other.meta'],
    ['true', 'constant.language.boolean'],
    ['Before', 'keyword.other.meta'],
    ['File', 'entity.name.type.resource'],
    ['Exec', 'entity.name.type.resource'],
    ['output', 'variable.other.property'],
    ['->', 'keyword.operator'],
    ['Svc', 'entity.name.type.resource'],
  );
});

test('definitions', () => {
  check(
    'class web:server($port int, $f func(int) str) {\n}\nfunc f($x) map{str: int} {\n\t$x\n}\ninclude lib.web(1) as w',
    ['class', 'keyword.other.class'],
    ['web:server', 'entity.name.type.class'],
    ['$port', 'variable.parameter'],
    ['int', 'support.type.primitive'],
    ['$f', 'variable.parameter'],
    ['func', 'storage.type.function'],
    ['str', 'support.type.primitive'],
    ['f', 'entity.name.function'],
    ['$x', 'variable.parameter'],
    ['map', 'support.type.collection'],
    ['$x', 'variable.other.readwrite'],
    ['lib', 'entity.name.namespace'],
    ['web', 'entity.name.type.class'],
    ['as', 'keyword.control.as'],
    ['w', 'entity.name.namespace'],
  );
});

test('names that look like keywords', () => {
  check(
    '$map = collect.f(internal(1))\n$x = $in_a\nforeman "x" {}',
    ['$map', 'variable.other.readwrite'],
    ['collect', 'entity.name.namespace'],
    ['f', 'entity.name.function.call'],
    ['internal', 'entity.name.function.call'],
    ['$in_a', 'variable.other.readwrite'],
    ['foreman', 'entity.name.type.resource'],
  );
});
