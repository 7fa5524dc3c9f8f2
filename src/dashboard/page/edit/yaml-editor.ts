import { autocompletion, closeBrackets, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  HighlightStyle,
  type IndentContext,
  indentService,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { load } from 'js-yaml';
import type { Schema, Schemas } from '../cluster/open-api.ts';
import { pathAtLine } from './path-at-line.ts';

export interface KindSchema {
  readonly schemas: Schemas;
  readonly root: Schema;
}

export interface EditorOptions {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** What the fields are; undefined where there is no schema. */
  readonly schema: () => Promise<KindSchema | undefined>;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--past)' },
  { tag: tags.comment, color: 'var(--text-soft)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--text-soft)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', monospace", lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionInfo': { maxWidth: '28rem', padding: '6px 10px' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
});

/**
 * An editor of YAML. It lives in a shadow root, where the editor's styles are style sheets by script: the page's policy allows no style
 * elements.
 */
export function openEditor(place: HTMLElement, options: EditorOptions): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  root.replaceChildren();
  const extensions: Extension[] = [
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    closeBrackets(),
    indentUnit.of('  '),
    yaml(),
    syntaxHighlighting(colours),
    look,
    EditorView.contentAttributes.of({ 'aria-label': 'YAML' }),
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
    indentService.of(indentationAfter),
    autocompletion({ override: [async (context) => complete(context, await options.schema())] }),
    linter(findSyntaxErrors),
    keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onChange(update.state.doc.toString());
    }),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: options.text, extensions }), parent: root, root });
  view.scrollDOM.tabIndex = 0; // who has no mouse scrolls it with the arrow keys
  return view;
}

/**
 * Text that is typed over a selection is put in by script: browsers would keep the looks of what was selected by style attributes, which the
 * page's policy refuses. Brackets and quotes are put around a selection elsewhere.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing } = event;
  if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty) return false;
  if (/^["'([{]$/.test(data)) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  return true;
}

/** The indentation of a new line: inside of a field that has no value yet, or else beside the line above. */
function indentationAfter(context: IndentContext, pos: number): number {
  const { text } = context.lineAt(pos, -1);
  const [, spaces = '', dashes = ''] = /^( *)((?:- +)*)/.exec(text) ?? [];
  return spaces.length + dashes.length + (/:\s*(?:[|>][-+]?)?$/.test(text) ? context.unit : 0);
}

export function parseYaml(text: string): unknown {
  return load(text);
}

interface YamlProblem {
  readonly reason?: string;
  readonly mark?: { readonly position?: number };
}

function findSyntaxErrors({ state }: EditorView): Diagnostic[] {
  try {
    load(state.doc.toString());
    return [];
  } catch (error) {
    const { reason, mark } = error as YamlProblem;
    const at = Math.min(state.doc.length, Math.max(0, mark?.position ?? 0));
    return [{ from: state.doc.lineAt(at).from, to: at, severity: 'error', message: reason ?? String(error) }];
  }
}

/** Names of fields where a key is typed, and choices where a value is. */
function complete(context: CompletionContext, known: KindSchema | undefined): CompletionResult | null {
  if (known === undefined) return null;
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const lines = context.state.doc.toString().split('\n');
  const path = pathAtLine(lines, line.number - 1);
  const value = /^[\s-]*([\w.-]+):\s+(\S*)$/.exec(before);
  if (value !== null) {
    const field = known.schemas.at(known.root, [...path, value[1] ?? '']);
    const choices = field?.type === 'boolean' ? ['true', 'false'] : (field?.enum ?? []).map(String);
    return choices.length === 0
      ? null
      : { from: context.pos - (value[2] ?? '').length, options: choices.map((label) => ({ label, type: 'enum' })) };
  }
  const key = /^[\s-]*(\w*)$/.exec(before);
  if (key === null || (key[1] === '' && !context.explicit)) return null;
  const parent = known.schemas.at(known.root, path);
  const options = Object.entries(parent?.properties ?? {}).map(([label, schema]) => {
    const resolved = known.schemas.resolve(schema);
    const isNested = resolved.type === 'object' || resolved.properties !== undefined || resolved.type === 'array';
    return {
      label,
      type: 'property',
      detail: resolved.type ?? '',
      info: resolved.description ?? '',
      apply: isNested ? `${label}:` : `${label}: `,
      boost: parent?.required?.includes(label) === true ? 1 : 0,
    };
  });
  return { from: context.pos - (key[1] ?? '').length, options };
}
