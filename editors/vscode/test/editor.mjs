// A stub of the module `vscode`: as much of an editor as the client needs to start. Events never happen, except that
// documents are opened before the client starts; providers are accepted and not asked.

import { EventEmitter as NodeEmitter, once } from 'node:events';

class Disposable {
  constructor(dispose = () => {}) {
    this.dispose = dispose;
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class EventEmitter {
  listeners = new Set();
  event = (listener, self) => {
    const bound = self === undefined ? listener : listener.bind(self);
    this.listeners.add(bound);
    return new Disposable(() => this.listeners.delete(bound));
  };
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  emitter = new EventEmitter();
  token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  cancel() {
    this.token.isCancellationRequested = true;
    this.emitter.fire();
  }
  dispose() {}
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(...parts) {
    const [start, end] = parts.length === 4 ? [new Position(parts[0], parts[1]), new Position(parts[2], parts[3])] : parts;
    Object.assign(this, { start, end });
  }
}

class CodeActionKind {
  static Empty = new CodeActionKind('');
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value === '' ? part : `${this.value}.${part}`);
  }
}
for (const [name, value] of [
  ['QuickFix', 'quickfix'],
  ['Refactor', 'refactor'],
  ['RefactorExtract', 'refactor.extract'],
  ['RefactorInline', 'refactor.inline'],
  ['RefactorRewrite', 'refactor.rewrite'],
  ['Source', 'source'],
  ['SourceOrganizeImports', 'source.organizeImports'],
]) {
  CodeActionKind[name] = new CodeActionKind(value);
}

class Location {
  constructor(uri, range) {
    Object.assign(this, { uri, range });
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class Uri {
  constructor(path) {
    Object.assign(this, { scheme: 'file', path, fsPath: path });
  }
  toString() {
    return `file://${this.path}`;
  }
  static file(path) {
    return new Uri(path);
  }
  static parse(text) {
    return new Uri(new URL(text).pathname);
  }
}

/** A class or enumeration without behaviour: it can be extended, constructed, and its members are numbers. */
function plain() {
  const members = new Map();
  return new Proxy(class {}, {
    get(target, name, receiver) {
      if (name in target || typeof name === 'symbol') {
        return Reflect.get(target, name, receiver);
      }
      if (!members.has(name)) {
        members.set(name, members.size);
      }
      return members.get(name);
    },
  });
}

/** A namespace: what it lacks are events that never happen, providers that are accepted, and classes. */
function namespace(known) {
  const made = new Map();
  return new Proxy(known, {
    get(target, name) {
      if (name in target || typeof name === 'symbol' || name === '__esModule') {
        return target[name];
      }
      if (!made.has(name)) {
        const subscribes = /^(on|register|create)/.test(name);
        made.set(name, subscribes ? () => new Disposable() : plain());
      }
      return made.get(name);
    },
  });
}

/** An editor with these settings. */
export function makeEditor(settings = {}) {
  const happened = new NodeEmitter();
  const commands = new Map();
  const editor = { errors: [], executed: [], diagnosed: new Set(), shown: undefined, context: { subscriptions: [] } };
  const documents = [];
  let reported = [];
  const output = { appendLine() {}, append() {}, show() {}, clear() {}, dispose() {} };
  const watcher = namespace({ dispose() {} });
  const configuration = { get: (name, otherwise) => settings[name] ?? otherwise };

  editor.vscode = namespace({
    version: '1.82.0',
    Disposable,
    EventEmitter,
    CancellationTokenSource,
    Position,
    Range,
    CodeActionKind,
    Location,
    Diagnostic,
    Uri,
    ...Object.fromEntries(['ProcessExecution', 'Task', 'TaskGroup', 'ViewColumn'].map((name) => [name, plain()])),
    env: { language: 'en', appName: 'stub', openExternal() {} },
    commands: {
      registerCommand(name, run) {
        if (commands.has(name)) {
          throw new Error(`command '${name}' already exists`);
        }
        commands.set(name, run);
        return new Disposable(() => commands.delete(name));
      },
      async executeCommand(...called) {
        editor.executed.push(called);
      },
    },
    languages: namespace({
      match: (selector, document) => {
        const extension = ({ pattern }) => pattern?.match(/\{(.*)\}/)[1].split(',');
        const matches = (filter) =>
          filter.language === document.languageId || extension(filter)?.includes(document.fileName.split('.').pop());
        return [selector].flat().some(matches) ? 10 : 0;
      },
      getDiagnostics: () => reported,
      createDiagnosticCollection: () => ({
        set(uri, diagnostics) {
          reported = diagnostics;
          editor.diagnosed.add(uri.fsPath);
          happened.emit('diagnostics', diagnostics);
        },
        delete() {},
        clear() {},
        dispose() {},
      }),
    }),
    tasks: namespace({}),
    window: namespace({
      tabGroups: namespace({ all: [] }),
      createOutputChannel: () => output,
      async showErrorMessage(message) {
        editor.errors.push(message);
      },
      async showTextDocument(document) {
        editor.shown = document;
      },
      withProgress: (options, run) => run({ report() {} }, new CancellationTokenSource().token),
    }),
    workspace: namespace({
      textDocuments: documents,
      notebookDocuments: [],
      workspaceFolders: undefined,
      getConfiguration: () => configuration,
      getWorkspaceFolder: () => undefined,
      createFileSystemWatcher: () => watcher,
      openTextDocument: async (document) => document,
    }),
  });

  editor.open = (path, text) => {
    const uri = Uri.file(path);
    const document = { uri, fileName: path, languageId: path.endsWith('.mcl') ? 'mcl' : 'plaintext', version: 1, getText: () => text, save: async () => true };
    documents.push(document);
    editor.vscode.window.activeTextEditor = { document, selection: { active: new Position(0, 0) } };
  };
  /** Waits for the diagnostics of a document that has any. */
  editor.diagnostics = async () => {
    while (reported.length === 0) {
      await once(happened, 'diagnostics');
    }
    return reported;
  };
  editor.command = (name, ...args) => commands.get(name)(...args);
  return editor;
}
