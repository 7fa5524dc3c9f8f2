import { type Steps, unreachable } from '../../base/index.ts';
import {
  type AliasEvent,
  type Event,
  EVENT_ID,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
  YAMLException,
} from 'js-yaml';
import { yamlSyntaxError } from './go-yaml-error.ts';

/** A node of a YAML document. `position` is where it starts in the text. */
export type YamlNode =
  | {
      readonly kind: 'scalar';
      readonly text: string;
      readonly tag: string;
      readonly isPlain: boolean;
      readonly position: number;
    }
  | { readonly kind: 'sequence'; readonly items: readonly YamlNode[]; readonly position: number }
  | { readonly kind: 'mapping'; readonly entries: readonly YamlEntry[]; readonly position: number }
  | { readonly kind: 'alias'; readonly name: string; readonly target: YamlNode | undefined; readonly position: number };

export interface YamlEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

/** How many events are processed in a step of a few milliseconds. */
const EVENTS_A_STEP = 20_000;

/** The nesting limit of JSON, see `decodeJson`. */
const MAX_DEPTH = 1000;

/** What was read: undefined if the text has no document. */
export interface ParsedYaml {
  readonly node: YamlNode | undefined;
  /** The text that positions are in: its lines are those of the original, some of them indented further. */
  readonly text: string;
}

/** Parses the first document of a YAML text, as Kubernetes does. */
export function* yamlParsing(original: string): Steps<ParsedYaml> {
  const { text, events } = yield* parsedEvents(firstDocument(original));
  yield;
  return { node: yield* new DocumentReader(text, events).read(), text };
}

interface ParsedEvents {
  readonly text: string;
  readonly events: readonly Event[];
}

/** How many characters are read again for lines that must be indented. */
const MAX_READ_AGAIN = 1 << 20;
/** How many characters a failure costs in the time in which one is read: the text is copied and searched for the place. */
const COPIES_A_READ = 4;

/**
 * Our parser wants the lines of a text in quotes, or of a list or map in brackets, indented further than their parent. Go's does
 * not, and spaces mean nothing there: such lines are indented, one by one, and the text is read again.
 */
function* parsedEvents(original: string): Steps<ParsedEvents> {
  let text = original;
  let readAgain = 0;
  let indent = '';
  for (;;) {
    try {
      return { text, events: parseEvents(text, { maxDepth: MAX_DEPTH }) };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      if (error.reason !== 'deficient indentation' || readAgain > MAX_READ_AGAIN) throw yamlSyntaxError(error, text);
      const { position = 0 } = error.mark ?? {};
      const lineStart = text.lastIndexOf('\n', position - 1) + 1;
      if (indent === '') indent = ' '.repeat(deepestIndent(text) + 1);
      text = text.slice(0, lineStart) + indent + text.slice(lineStart);
      readAgain += position + indent.length + text.length / COPIES_A_READ;
    }
    yield;
  }
}

/** No node of the text is indented further. */
function deepestIndent(text: string): number {
  let deepest = 0;
  for (const [leading] of text.matchAll(/^[ ?-]+/gm)) deepest = Math.max(deepest, leading.length);
  return deepest;
}

/** Text after the first document is ignored, valid or not. */
function firstDocument(text: string): string {
  const markers = [...text.matchAll(/^---(?=\s|$)/gm)].map((match) => match.index);
  const [first, second] = markers;
  if (first === undefined) return text;
  const isContentBefore = /^[^#%\s]/m.test(text.slice(0, first));
  return text.slice(0, isContentBefore ? first : second);
}

/** A document, list or map whose end has not been reached, and how to add a node to it. */
interface Open {
  readonly add: (node: YamlNode) => void;
}

/** Builds nodes from the events of one document. */
class DocumentReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, YamlNode>();
  readonly #open: Open[] = [];
  #content: YamlNode | undefined;
  /** The position of the last event, for events without one. */
  #position = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  *read(): Steps<YamlNode | undefined> {
    for (let index = 0; index < this.#events.length; index++) {
      const event = this.#events[index] as Event;
      if (index % EVENTS_A_STEP === EVENTS_A_STEP - 1) yield;
      if (event.type === EVENT_ID.DOCUMENT) {
        this.#open.push({ add: (node) => (this.#content = node) });
      } else if (event.type === EVENT_ID.POP) {
        this.#open.pop();
        if (this.#open.length === 0) return this.#content;
      } else {
        this.#readNode(event);
      }
    }
    return this.#content;
  }

  #readNode(event: ScalarEvent | SequenceEvent | MappingEvent | AliasEvent): void {
    const { node, open } = this.#begin(event);
    if (event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0) this.#anchors.set(this.#anchorOf(event), node);
    this.#open.at(-1)?.add(node);
    if (open !== undefined) this.#open.push(open);
  }

  #begin(event: ScalarEvent | SequenceEvent | MappingEvent | AliasEvent): { node: YamlNode; open?: Open } {
    switch (event.type) {
      case EVENT_ID.SCALAR:
        if (event.valueStart >= 0) this.#position = event.valueStart;
        return { node: this.#scalar(event) };
      case EVENT_ID.ALIAS: {
        this.#position = event.anchorStart;
        const name = this.#anchorOf(event);
        return { node: { kind: 'alias', name, target: this.#anchors.get(name), position: this.#position } };
      }
      case EVENT_ID.SEQUENCE: {
        this.#position = event.start;
        const items: YamlNode[] = [];
        return { node: { kind: 'sequence', items, position: event.start }, open: { add: (item) => items.push(item) } };
      }
      case EVENT_ID.MAPPING: {
        this.#position = event.start;
        const entries: YamlEntry[] = [];
        return { node: { kind: 'mapping', entries, position: event.start }, open: { add: pairUp(entries) } };
      }
      default:
        return unreachable(event);
    }
  }

  #scalar(event: ScalarEvent): YamlNode {
    const tag = event.tagStart < 0 ? '' : this.#text.slice(event.tagStart, event.tagEnd);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const value = getScalarValue(this.#text, event);
    const text = this.#isCutShort(event) ? value.replace(/\n$/, '') : value;
    return { kind: 'scalar', text, tag, isPlain, position: this.#position };
  }

  /** Whether a block ends where the text does, without a line break: Go adds none, our parser does. */
  #isCutShort({ style, valueEnd }: ScalarEvent): boolean {
    const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
    return isBlock && valueEnd === this.#text.length && !/[\r\n]$/.test(this.#text);
  }

  #anchorOf(event: { readonly anchorStart: number; readonly anchorEnd: number }): string {
    return this.#text.slice(event.anchorStart, event.anchorEnd);
  }
}

/** Nodes of a map arrive as key, value, key, value. */
function pairUp(entries: YamlEntry[]): (node: YamlNode) => void {
  let key: YamlNode | undefined;
  return (node) => {
    if (key !== undefined) entries.push({ key, value: node });
    key = key === undefined ? node : undefined;
  };
}
