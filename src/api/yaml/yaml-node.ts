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

/** Parses the first document of a YAML text, as Kubernetes does; undefined if there is none. */
export function* yamlParsing(text: string): Steps<YamlNode | undefined> {
  const first = firstDocument(text);
  const events = eventsOf(first);
  yield;
  return yield* new DocumentReader(first, events).read();
}

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof YAMLException) throw yamlSyntaxError(error, text);
    throw error;
  }
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
    return { kind: 'scalar', text: getScalarValue(this.#text, event), tag, isPlain, position: this.#position };
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
