import { createHash } from 'node:crypto';
import type { Case, Extent, PatchName, Step, StepBody } from './case.ts';

const PATCHES: readonly string[] = ['json', 'merge', 'strategic', 'apply'] satisfies PatchName[];
const DIRECTIVES: readonly string[] = [
  ...['setup', 'anonymous', 'as', 'until', 'events', 'save'],
  ...['compare', 'headers', 'patch', 'protobuf', 'needs'],
];
const EXTENTS: readonly string[] = ['all', 'head', 'openapi', 'names'] satisfies Extent[];

/**
 * Reads a case. Requests are separated by lines that begin with `###`; each is a request line, headers, an empty line and a
 * body, as in HTTP. Lines `# @directive value` before the request line say how it is sent and compared; the reference is
 * in README.md.
 *
 * Ends: with an error that names file and line when the text is not such a case.
 */
export function parseCase(text: string, place: { readonly topic: string; readonly name: string }): Case {
  const fail = (line: number, problem: string): Error =>
    new Error(`Cannot read case ${place.topic}/${place.name}.http, line ${line}: ${problem}`);
  const lines = text.split('\n');
  const title = /^# (?!@)(.+)$/.exec(lines[0] ?? '')?.[1];
  if (title === undefined) throw fail(1, 'the first line must be a comment that says what the case shows');
  const steps: Step[] = [];
  let needsServiceAccount = false;
  for (const block of blocksOf(lines)) {
    const reader = new BlockReader(block, fail);
    needsServiceAccount ||= reader.has('needs');
    steps.push(reader.step());
  }
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { ...place, title, needsServiceAccount, steps, digest };
}

interface Block {
  /** Line number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (let index = 0; index <= lines.length; index += 1) {
    if (index < lines.length && !lines[index]?.startsWith('###')) continue;
    blocks.push({ first: start + 1, lines: lines.slice(start, index) });
    start = index + 1;
  }
  return blocks;
}

class BlockReader {
  readonly #block: Block;
  readonly #fail: (line: number, problem: string) => Error;
  readonly #directives = new Map<string, string[]>();
  readonly #headers: Record<string, string> = {};
  readonly #requestLine: number;
  readonly #method: string;
  readonly #path: string;
  readonly #bodyText: string;

  constructor(block: Block, fail: (line: number, problem: string) => Error) {
    this.#block = block;
    this.#fail = fail;
    const { lines } = block;
    let at = 0;
    for (; at < lines.length && /^(#|\s*$)/.test(lines[at] ?? ''); at += 1) this.#comment(lines[at] ?? '', at);
    this.#requestLine = block.first + at;
    const request = /^([A-Z]+) (\/.*\S|\/)$/.exec(lines[at] ?? '');
    if (request === null) throw fail(this.#requestLine, `"${lines[at] ?? ''}" is not a method and a path`);
    [, this.#method = '', this.#path = ''] = request;
    for (at += 1; at < lines.length && lines[at]?.trim() !== ''; at += 1) this.#header(lines[at] ?? '', at);
    this.#bodyText = lines
      .slice(at + 1)
      .join('\n')
      .replace(/\s+$/, '');
  }

  has(directive: string): boolean {
    return this.#directives.has(directive);
  }

  step(): Step {
    const events = this.#one('events');
    const until = this.#one('until');
    const extent = this.#one('compare') ?? 'all';
    if (!EXTENTS.includes(extent)) throw this.#fail(this.#requestLine, `cannot compare "${extent}"`);
    return {
      line: this.#requestLine,
      method: this.#method,
      path: this.#path,
      headers: this.#headers,
      body: this.#body(),
      isSetup: this.has('setup'),
      isAnonymous: this.has('anonymous'),
      user: this.#one('as'),
      until: until === undefined ? undefined : Number(until),
      events: events === undefined ? undefined : Number(events),
      saves: this.#saves(),
      extent: extent as Extent,
      moreHeaders: (this.#one('headers') ?? '').split(/[\s,]+/).filter((name) => name !== ''),
    };
  }

  #comment(text: string, at: number): void {
    const directive = /^# @([a-z]+)(?: (.*))?$/.exec(text);
    if (directive === null) return;
    const [, name = '', value = ''] = directive;
    if (!DIRECTIVES.includes(name)) throw this.#fail(this.#block.first + at, `there is no directive "@${name}"`);
    this.#directives.set(name, [...(this.#directives.get(name) ?? []), value]);
  }

  #header(text: string, at: number): void {
    const header = /^([\w.%-]+): ?(.*)$/.exec(text);
    if (header === null) throw this.#fail(this.#block.first + at, `"${text}" is not a header`);
    this.#headers[header[1] ?? ''] = header[2] ?? '';
  }

  #body(): StepBody | undefined {
    const text = this.#bodyText;
    if (text === '') return undefined;
    if (this.has('protobuf')) return { type: 'protobuf', yaml: text };
    const patch = this.#one('patch');
    if (patch !== undefined && !PATCHES.includes(patch)) throw this.#fail(this.#requestLine, `no patch "${patch}"`);
    if (patch !== undefined) return { type: 'object', yaml: text, patch: patch as PatchName };
    const hasType = Object.keys(this.#headers).some((name) => name.toLowerCase() === 'content-type');
    return hasType ? { type: 'raw', text } : { type: 'object', yaml: text, patch: undefined };
  }

  /** `# @save version = metadata.resourceVersion` */
  #saves(): Record<string, string> {
    const saves: Record<string, string> = {};
    for (const text of this.#directives.get('save') ?? []) {
      const [name, place] = text.split(' = ');
      if (name === undefined || place === undefined)
        throw this.#fail(this.#requestLine, `"@save ${text}" has no place`);
      saves[name] = place;
    }
    return saves;
  }

  #one(directive: string): string | undefined {
    return this.#directives.get(directive)?.[0];
  }
}
