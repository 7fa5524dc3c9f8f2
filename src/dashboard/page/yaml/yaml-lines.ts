import type { Step } from '../cluster/open-api.ts';

/** One line of an object's YAML, and the field that it shows. */
export interface YamlLine {
  readonly indent: number;
  /** `- ` for the first line of a list's element, perhaps several. */
  readonly dashes: string;
  readonly key: string | undefined;
  readonly value: string;
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'text' | 'empty';
  readonly path: readonly Step[];
}

const MAX_VALUE_CHARACTERS = 20_000;

/** Writes a value as YAML that every reader of YAML 1.1 and 1.2 takes for the same value; very long strings are cut unless `isWhole`. */
export function yamlLines(value: unknown, { isWhole = false } = {}): YamlLine[] {
  const lines: YamlLine[] = [];
  write(value, { indent: 0, dashes: '', key: undefined, path: [] });
  return lines;

  interface Place {
    readonly indent: number;
    readonly dashes: string;
    readonly key: string | undefined;
    readonly path: readonly Step[];
  }

  function write(current: unknown, place: Place): void {
    if (Array.isArray(current) && current.length > 0) writeList(current, place);
    else if (
      typeof current === 'object' &&
      current !== null &&
      !Array.isArray(current) &&
      Object.keys(current).length > 0
    )
      writeObject(current as Record<string, unknown>, place);
    else if (typeof current === 'string' && isBlock(current)) writeBlock(current, place);
    else lines.push({ ...place, ...scalarOf(current) });
  }

  function writeList(list: readonly unknown[], place: Place): void {
    // a list inside of a list begins on the line of its element; one with a key has the key's line in front
    if (place.key !== undefined) lines.push({ ...place, value: '', type: 'empty' });
    const isNested = place.key === undefined && place.dashes !== '';
    list.forEach((element, index) => {
      const path = [...place.path, index];
      const dashes = isNested && index === 0 ? `${place.dashes}- ` : '- ';
      const indent = isNested && index > 0 ? place.indent + place.dashes.length : place.indent;
      write(element, { indent, dashes, key: undefined, path });
    });
  }

  function writeObject(object: Record<string, unknown>, place: Place): void {
    const isBelowKey = place.key !== undefined;
    if (isBelowKey) lines.push({ ...place, value: '', type: 'empty' });
    const inner = isBelowKey ? place.indent + place.dashes.length + 2 : place.indent + place.dashes.length;
    let isFirst = true;
    for (const [key, member] of Object.entries(object)) {
      if (member === undefined) continue;
      const path = [...place.path, key];
      const isOnDash = isFirst && !isBelowKey && place.dashes !== '';
      if (isOnDash) write(member, { indent: place.indent, dashes: place.dashes, key, path });
      else write(member, { indent: inner, dashes: '', key, path });
      isFirst = false;
    }
  }

  function writeBlock(text: string, place: Place): void {
    const shown = !isWhole && text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
    const chomp = shown.endsWith('\n') ? '' : '-';
    lines.push({ ...place, value: `|${chomp}`, type: 'text' });
    const indent = place.indent + place.dashes.length + 2;
    for (const line of shown.replace(/\n$/, '').split('\n'))
      lines.push({
        indent: line === '' ? 0 : indent,
        dashes: '',
        key: undefined,
        value: line,
        type: 'text',
        path: place.path,
      });
  }

  function scalarOf(current: unknown): Pick<YamlLine, 'value' | 'type'> {
    if (current === null || current === undefined) return { value: 'null', type: 'null' };
    if (typeof current === 'number') return { value: String(current), type: 'number' };
    if (typeof current === 'boolean') return { value: String(current), type: 'boolean' };
    if (typeof current === 'object') return { value: Array.isArray(current) ? '[]' : '{}', type: 'empty' };
    const text = String(current);
    const shown = !isWhole && text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
    return { value: quoted(shown), type: 'string' };
  }
}

export function textOfLine({ indent, dashes, key, value }: YamlLine): string {
  const name = key === undefined ? '' : `${quoted(key)}:`;
  return `${' '.repeat(indent)}${dashes}${name}${name !== '' && value !== '' ? ' ' : ''}${value}`.replace(/ +$/, '');
}

export function toYaml(value: unknown): string {
  return `${yamlLines(value, { isWhole: true }).map(textOfLine).join('\n')}\n`;
}

/** Strings of several lines that a block can hold: no control characters, no line that ends or begins with blanks. */
function isBlock(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return (
    text.includes('\n') &&
    !/[\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\ufeff]|[ \t]\n|^\s|\n\n$|[ \t]$|^\n/.test(text) &&
    !/\n[ \t]/.test(text.slice(0, text.indexOf('\n') + 2))
  );
}

const WORDS = /^(true|false|yes|no|on|off|y|n|null|~|\.nan|[-+]?\.inf)$/i;
const PLAIN = /^[\w./(][\w./()@%+=,$*^;!? :#'"<>[\]{}&|~\\-]*$/;

function quoted(text: string): string {
  const isPlain =
    PLAIN.test(text) && !WORDS.test(text) && !/^[-+.]?\d/.test(text) && !/: |:$| #|^[#,[\]{}&*!|>'"%@`]| $/.test(text);
  return isPlain ? text : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
