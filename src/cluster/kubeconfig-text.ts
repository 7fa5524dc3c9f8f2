// Changes a kubeconfig as a person would: in its text, so that comments, anchors, merge keys and order stay.
import { CORE_SCHEMA, dump, EVENT_ID, getScalarValue, load, mergeTag, parseEvents } from 'js-yaml';
import { deepEqual } from '../base/index.ts';

/** An entry of `clusters`, `users` or `contexts`. */
export interface NamedEntry {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** What is put into a kubeconfig: entries that replace those of the same name, and plain members. */
export interface KubeconfigChange {
  readonly entries: Readonly<Record<string, readonly NamedEntry[]>>;
  /** The names of entries that are taken out, by section; default none. */
  readonly removed?: Readonly<Record<string, readonly string[]>>;
  readonly members: Readonly<Record<string, string>>;
  /** Members for files that lack them. */
  readonly defaults: Readonly<Record<string, string>>;
}

type Config = Readonly<Record<string, unknown>>;

const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/** What a kubeconfig says, merge keys taken in. Throws js-yaml's exception for text that is not YAML. */
export function readConfig(text: string): unknown {
  return text.trim() === '' ? {} : (load(text, { schema: SCHEMA }) ?? {});
}

/**
 * The text with the change made. A member that cannot be changed in place (flow style, anchors in what is replaced) is written out
 * again: it says the same, but without comments.
 */
export function changeConfig(text: string, config: Config, change: KubeconfigChange): string {
  const wanted = changedConfig(config, change);
  try {
    const edited = editText(text, config, change);
    if (edited !== undefined && deepEqual(readConfig(edited), wanted)) return edited;
  } catch {
    // a text that cannot be read back is written out again
  }
  return print(wanted);
}

function print(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true });
}

function changedConfig(config: Config, { entries, removed = {}, members, defaults }: KubeconfigChange): Config {
  const sections = [...new Set([...Object.keys(entries), ...Object.keys(removed)])];
  const lists = sections.map((section) => {
    const known = (config[section] as readonly NamedEntry[] | null | undefined) ?? [];
    const left = known.filter(({ name }) => removed[section]?.includes(name) !== true);
    return [section, (entries[section] ?? []).reduce(withEntry, left)];
  });
  return { ...defaults, ...config, ...(Object.fromEntries(lists) as Config), ...members };
}

function withEntry(known: readonly NamedEntry[], entry: NamedEntry): readonly NamedEntry[] {
  const isKnown = known.some(({ name }) => name === entry.name);
  return isKnown ? known.map((each) => (each.name === entry.name ? entry : each)) : [...known, entry];
}

function editText(text: string, config: Config, change: KubeconfigChange): string | undefined {
  if (text.trim() === '') return print(changedConfig(config, change));
  const { entries, removed = {}, members, defaults } = change;
  let edited: string | undefined = text.endsWith('\n') ? text : `${text}\n`;
  for (const [section, names] of Object.entries(removed))
    for (const name of names) edited = edited === undefined ? undefined : removeEntry(edited, section, name);
  for (const [section, list] of Object.entries(entries))
    for (const entry of list) edited = edited === undefined ? undefined : editSection(edited, section, entry);
  if (edited === undefined) return undefined;
  const missing = Object.entries(defaults).filter(([member]) => config[member] === undefined);
  for (const [member, value] of [...missing, ...Object.entries(members)]) edited = editMember(edited, member, value);
  return edited;
}

/** A member of the top level in lines: where its key is, and where its content ends. */
interface Section {
  readonly first: number;
  /** The first line behind it; comments and blank lines in front of the next member are not part of it. */
  readonly end: number;
  /** The first lines of its items, when it is a list in block style. */
  readonly items: readonly { readonly line: number; readonly indent: number }[];
}

function editSection(text: string, name: string, entry: NamedEntry): string | undefined {
  const lines = text.split('\n');
  const section = sections(text).get(name);
  if (section === undefined) return `${text}${name}:\n${item(entry, 0)}`;
  const { first, end, items } = section;
  const known = entriesOf(text, name);
  if (known.length === 0) return splice(lines, first, end, `${name}:\n${item(entry, 0)}`);
  const [head] = items;
  if (head === undefined || items.length !== known.length) return undefined; // in flow style
  const place = known.findIndex((each) => each.name === entry.name);
  if (place < 0) return splice(lines, end, end, item(entry, head.indent));
  const { start, behind } = placeOf(lines, section, place);
  return splice(lines, start, behind, item(entry, head.indent));
}

function removeEntry(text: string, name: string, entry: string): string | undefined {
  const lines = text.split('\n');
  const section = sections(text).get(name);
  const known = entriesOf(text, name);
  const place = known.findIndex((each) => each.name === entry);
  if (section === undefined || place < 0) return text;
  if (section.items.length !== known.length) return undefined; // in flow style
  if (known.length === 1) return splice(lines, section.first, section.end, `${name}: []`);
  const { start, behind } = placeOf(lines, section, place);
  return lines.toSpliced(start, behind - start).join('\n');
}

function entriesOf(text: string, section: string): readonly NamedEntry[] {
  return (readConfig(text) as Record<string, readonly NamedEntry[] | null | undefined>)[section] ?? [];
}

/** The lines of an item. */
function placeOf(lines: readonly string[], { end, items }: Section, place: number): { start: number; behind: number } {
  const next = items[place + 1];
  return { start: items[place]?.line ?? end, behind: next === undefined ? end : contentEnd(lines, next.line) };
}

function editMember(text: string, name: string, value: string): string {
  const section = sections(text).get(name);
  const line = print({ [name]: value });
  if (section === undefined) return `${text}${line}`;
  const lines = text.split('\n');
  const comment = /\s#.*$/.exec(lines[section.first] ?? '')?.[0] ?? '';
  return splice(lines, section.first, section.end, `${line.trimEnd()}${comment}\n`);
}

function item(entry: NamedEntry, indent: number): string {
  return print([entry]).replaceAll(/^(?=.)/gm, ' '.repeat(indent));
}

function splice(lines: readonly string[], start: number, end: number, text: string): string {
  return lines.toSpliced(start, end - start, ...text.trimEnd().split('\n')).join('\n');
}

/** Back over blank lines and comments. */
function contentEnd(lines: readonly string[], line: number): number {
  let end = line;
  while (end > 0 && /^\s*(#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  return end;
}

/** How deep in events the members of a document's mapping are. */
const TOP = 2;

/** The members of the top level, by name. */
function sections(text: string): ReadonlyMap<string, Section> {
  const lines = text.split('\n');
  const lineOf = (position: number): number => text.slice(0, position).split('\n').length - 1;
  const found: { name: string; first: number; items: { line: number; indent: number }[] }[] = [];
  let depth = 0;
  let nodes = 0; // of the top level: keys and values by turns
  for (const event of parseEvents(text, {})) {
    if (event.type === EVENT_ID.POP) {
      depth -= 1;
      continue;
    }
    if (depth === TOP && nodes++ % 2 === 0 && event.type === EVENT_ID.SCALAR) {
      found.push({ name: getScalarValue(text, event), first: lineOf(event.valueStart), items: [] });
    } else if (depth === TOP + 1 && event.type === EVENT_ID.MAPPING) {
      const line = lineOf(event.start);
      const dash = /^(\s*)- /.exec(lines[line] ?? '');
      if (dash !== null) found.at(-1)?.items.push({ line, indent: dash[1]?.length ?? 0 });
    }
    if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS) depth += 1;
  }
  return new Map(
    found.map(({ name, first, items }, index) => {
      const end = contentEnd(lines, found[index + 1]?.first ?? lines.length);
      return [name, { first, end, items }];
    }),
  );
}
