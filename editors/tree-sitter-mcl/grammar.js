/**
 * The syntax of mcl for tree-sitter: the union grammar of docs/spec/01-syntax.md §2.10, in which newlines are whitespace.
 *
 * It needs no external scanner: strings cannot nest, because `${…}` in a string holds a name only. It accepts a little
 * more than `mclc` does (a trailing comma is optional after the last field of a resource, `||` stands for `<|>`
 * everywhere), because an editor parses programs that are being written.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const PRECEDENCE = {
  except: 1,
  or: 2,
  and: 3,
  compare: 4,
  add: 5,
  multiply: 6,
  not: 7,
  postfix: 8,
};

/** A list with commas between its items, and perhaps after the last one. */
const commaSeparated = (item) => optional(seq(item, repeat(seq(',', item)), optional(',')));

export default grammar({
  name: 'mcl',

  extras: ($) => [/\s/, $.comment],

  word: ($) => $.identifier,

  supertypes: ($) => [$._statement, $._expression, $._type],

  inline: ($) => [$._word],

  rules: {
    source_file: ($) => repeat($._statement),

    comment: () => token(/#[^\n]*/),

    // Statements.

    _statement: ($) =>
      choice(
        $.bind,
        $.panic,
        $.resource,
        $.collect,
        $.edge,
        $.include,
        $.import,
        $.function_definition,
        $.class_definition,
        $.if_statement,
        $.for_statement,
        $.forkv_statement,
      ),

    block: ($) => seq('{', repeat($._statement), '}'),

    bind: ($) => seq(field('name', $.variable_definition), field('type', optional($._type)), '=', field('value', $._expression)),

    panic: ($) => seq('panic', field('arguments', $.arguments)),

    resource: ($) => seq(field('kind', $.kind), field('name', $._expression), field('body', $.resource_body)),

    collect: ($) => seq('collect', field('kind', $.kind), field('name', $._expression), field('body', $.resource_body)),

    kind: ($) => $._colon_name,

    resource_body: ($) => seq('{', commaSeparated($._entry), '}'),

    _entry: ($) => choice($.field, $.edge_field, $.meta_field),

    field: ($) => seq(field('name', alias($.identifier, $.field_name)), '=>', $._entry_value),

    edge_field: ($) =>
      seq(field('name', $.property), '=>', optional(seq(field('condition', $._expression), '?:')), field('value', $.reference)),

    meta_field: ($) =>
      seq(
        field('name', $.property),
        optional(seq(':', field('parameter', alias($.identifier, $.meta_parameter)))),
        '=>',
        $._entry_value,
      ),

    _entry_value: ($) => seq(optional(seq(field('condition', $._expression), '?:')), field('value', $._expression)),

    property: ($) => $.capitalized,

    edge: ($) => prec.right(seq($.reference, repeat(seq('->', $.reference)))),

    reference: ($) =>
      prec.right(
        seq(
          field('kind', $.capitalized_kind),
          '[',
          field('name', $._expression),
          ']',
          optional(seq('.', field('field', alias($.identifier, $.field_name)))),
        ),
      ),

    capitalized_kind: ($) => seq($.capitalized, repeat(seq(':', $.capitalized))),

    include: ($) =>
      prec.right(
        seq(
          'include',
          field('class', alias($._qualified_name, $.class_name)),
          field('arguments', optional($.arguments)),
          optional(seq('as', field('alias', alias($.identifier, $.namespace)))),
        ),
      ),

    import: ($) =>
      seq('import', field('path', $.string), optional(seq('as', field('alias', choice(alias($.identifier, $.namespace), alias('*', $.wildcard)))))),

    function_definition: ($) =>
      seq(
        'func',
        field('name', alias($.identifier, $.function_name)),
        field('parameters', $.parameters),
        field('result', optional($._type)),
        field('body', $.expression_block),
      ),

    class_definition: ($) =>
      seq('class', field('name', alias($._colon_name, $.class_name)), field('parameters', optional($.parameters)), field('body', $.block)),

    if_statement: ($) =>
      prec.right(
        seq(
          'if',
          field('condition', $._expression),
          field('consequence', $.block),
          optional(seq('else', field('alternative', $.block))),
        ),
      ),

    for_statement: ($) =>
      seq(
        'for',
        field('index', $.variable_definition),
        ',',
        field('value', $.variable_definition),
        'in',
        field('iterable', $._expression),
        field('body', $.block),
      ),

    forkv_statement: ($) =>
      seq(
        'forkv',
        field('key', $.variable_definition),
        ',',
        field('value', $.variable_definition),
        'in',
        field('iterable', $._expression),
        field('body', $.block),
      ),

    parameters: ($) => seq('(', commaSeparated($.parameter), ')'),

    parameter: ($) => seq(field('name', $.variable_definition), field('type', optional($._type))),

    arguments: ($) => seq('(', commaSeparated($._expression), ')'),

    expression_block: ($) => seq('{', $._expression, '}'),

    // Expressions.

    _expression: ($) =>
      choice(
        $.except,
        $.binary,
        $.not,
        $.index,
        $.lookup,
        $.boolean,
        $.integer,
        $.float,
        $.string,
        $.list,
        $.map,
        $.struct,
        $.if_expression,
        $.parenthesized,
        $.variable,
        $.call,
        $.function,
      ),

    except: ($) =>
      prec.left(PRECEDENCE.except, seq(field('value', $._expression), field('operator', choice('<|>', '||')), field('default', $._expression))),

    binary: ($) => {
      const levels = [
        [PRECEDENCE.or, 'or'],
        [PRECEDENCE.and, 'and'],
        [PRECEDENCE.compare, choice('==', '!=', '<', '>', '<=', '>=', 'in')],
        [PRECEDENCE.add, choice('+', '-')],
        [PRECEDENCE.multiply, choice('*', '/')],
      ];
      return choice(
        ...levels.map(([precedence, operator]) =>
          prec.left(
            precedence,
            seq(field('left', $._expression), field('operator', operator), field('right', $._expression)),
          ),
        ),
      );
    },

    not: ($) => prec(PRECEDENCE.not, seq('not', field('operand', $._expression))),

    index: ($) => prec(PRECEDENCE.postfix, seq(field('value', $._expression), '[', field('index', $._expression), ']')),

    lookup: ($) => prec(PRECEDENCE.postfix, seq(field('value', $._expression), '->', field('field', alias($.identifier, $.field_name)))),

    boolean: () => choice('true', 'false'),

    integer: () => token(/-?[0-9]+/),

    float: () => token(/-?[0-9]+\.[0-9]+/),

    string: ($) =>
      seq(
        '"',
        repeat(choice($.string_content, alias($._dollar, $.string_content), $.escape, $.interpolation)),
        token.immediate('"'),
      ),

    // The precedence is over comments, which may stand everywhere else.
    string_content: () => token.immediate(prec(1, /[^"\\$]+/)),

    // A dollar sign without a brace is text.
    _dollar: () => token.immediate('$'),

    escape: () => token.immediate(/\\(.|\n)/),

    interpolation: ($) =>
      seq(token.immediate('${'), alias($._reference_name, $.variable_name), token.immediate('}')),

    _reference_name: () => token.immediate(/[a-z][a-z0-9_.]*/),

    list: ($) => seq('[', commaSeparated($._expression), ']'),

    map: ($) => seq('{', commaSeparated($.pair), '}'),

    pair: ($) => seq(field('key', $._expression), '=>', field('value', $._expression)),

    struct: ($) => seq('struct', '{', commaSeparated($.struct_field), '}'),

    struct_field: ($) => seq(field('name', alias($.identifier, $.field_name)), '=>', field('value', $._expression)),

    if_expression: ($) =>
      seq(
        'if',
        field('condition', $._expression),
        field('consequence', $.expression_block),
        'else',
        field('alternative', $.expression_block),
      ),

    parenthesized: ($) => seq('(', $._expression, ')'),

    variable: ($) => prec.right(seq('$', alias($._dotted_name, $.variable_name))),

    call: ($) =>
      prec(
        PRECEDENCE.postfix,
        seq(field('function', choice(alias($._qualified_name, $.function_name), $.variable, $.function)), field('arguments', $.arguments)),
      ),

    function: ($) =>
      prec.right(seq('func', field('parameters', $.parameters), field('result', optional($._type)), field('body', $.expression_block))),

    // Names.

    variable_definition: ($) => seq('$', alias($._word, $.variable_name)),

    _dotted_name: ($) => prec.right(seq($._word, repeat(seq('.', $._word)))),

    // The name of a function or class, after the modules that it is in.
    _qualified_name: ($) => prec.right(seq(repeat(seq(alias($._word, $.namespace), '.')), $._word)),

    _colon_name: ($) => seq($.identifier, repeat(seq(':', $.identifier))),

    // `map` and `collect` are also names.
    _word: ($) => choice($.identifier, alias('map', $.identifier), alias('collect', $.identifier)),

    identifier: () => /[a-z]([a-z0-9_]*[a-z0-9])?/,

    capitalized: () => /[A-Z]([a-z0-9_]*[a-z0-9])?/,

    // Types.

    _type: ($) => choice($.primitive_type, $.list_type, $.map_type, $.struct_type, $.function_type),

    primitive_type: () => choice('bool', 'str', 'int', 'float', 'variant'),

    list_type: ($) => seq('[', ']', $._type),

    map_type: ($) => seq('map', '{', field('key', $._type), ':', field('value', $._type), '}'),

    struct_type: ($) => seq('struct', '{', optional(seq($.type_field, repeat(seq(';', $.type_field)))), '}'),

    type_field: ($) => seq(field('name', alias($.identifier, $.field_name)), field('type', $._type)),

    function_type: ($) => prec.right(seq('func', '(', commaSeparated($.type_parameter), ')', field('result', $._type))),

    type_parameter: ($) => seq(optional(field('name', $.variable_definition)), field('type', $._type)),
  },
});
