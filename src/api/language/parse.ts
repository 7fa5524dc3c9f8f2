import { ALL_VERBS } from './definition.ts';
import type {
  DefinitionFile,
  FieldDefinition,
  ResourceDefinition,
  SubresourceDefinition,
  TypeDefinition,
  UnionDefinition,
} from './definition.ts';
import { parseFlags } from './flags.ts';
import { covers, parseMinor, parseRanged, pieces, type VersionRange } from './version-range.ts';

/** Refuses the line that is read. */
type Fail = (problem: string) => never;

/** An error in a definition file, with its line. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

interface OpenResource extends ResourceDefinition {
  readonly subresources: SubresourceDefinition[];
}

interface OpenType extends TypeDefinition {
  readonly fields: FieldDefinition[];
}

/** Parses one definition file; `fileName` is only used in messages. */
export function parseDefinitions(text: string, fileName: string): DefinitionFile {
  const file = { group: '', version: '', package: '' };
  let range: VersionRange = {};
  const resources: OpenResource[] = [];
  const types: OpenType[] = [];
  let open: 'none' | 'resource' | 'type' = 'none';

  for (const [index, raw] of text.split('\n').entries()) {
    const fail = (problem: string): never => {
      throw new DefinitionError(`${fileName}:${index + 1}: ${problem}`);
    };
    const { code, description } = splitDescription(raw);
    if (code.trim() === '') {
      if (description !== '') fail('a description needs something to describe');
      continue;
    }
    const words = code.match(/[^\s(]*\(("(\\.|[^"\\])*"|[^)"])*\)\S*|\S+/g) ?? [];
    const [head = '', second = '', ...others] = words;
    if (code.startsWith(' ')) {
      const type = open === 'type' ? types.at(-1) : undefined;
      if (type !== undefined) {
        const known = type.fields.findLast(({ name }) => name === head)?.description ?? '';
        type.fields.push(...parseField(words, description || known, fail));
      } else if (open === 'resource' && head === 'subresource')
        resources.at(-1)?.subresources.push(parseSubresource(words, fail));
      else fail(`"${head}" stands under nothing`);
      continue;
    }
    switch (head) {
      case 'group': {
        const slash = second.lastIndexOf('/');
        file.group = slash < 0 ? '' : second.slice(0, slash);
        if (file.group === 'core') file.group = '';
        file.version = second.slice(slash + 1);
        range = takeRange(others, fail).range;
        break;
      }
      case 'package':
        file.package = second;
        break;
      case 'resource':
        resources.push(parseResource(words, fail));
        open = 'resource';
        break;
      case 'kind':
      case 'type':
        types.push(parseType(words, description));
        open = 'type';
        break;
      default:
        fail(`"${head}" is not a word of the language`);
    }
  }
  if (file.package === '') throw new DefinitionError(`${fileName}: has no package line`);
  return { ...file, ...range, alias: file.package.split('.').slice(-2).join('/'), resources, types };
}

/** `code // description`; a line that starts with `#` is a comment. */
function splitDescription(line: string): { code: string; description: string } {
  if (line.trimStart().startsWith('#')) return { code: '', description: '' };
  const at = line.search(/(^|\s)\/\/ /);
  if (at < 0) return { code: line, description: '' };
  return { code: line.slice(0, at), description: line.slice(line.indexOf('// ', at) + 3).trim() };
}

/** The field, once for each stretch of versions in which its flags are the same. */
function parseField(words: readonly string[], description: string, fail: Fail): FieldDefinition[] {
  const [name = '', number = '', type = '', ...rest] = words;
  if (!/^(\d+(\.\d+)*|-)$/.test(number)) fail(`field "${name}" needs a protobuf number or "-", got "${number}"`);
  if (type === '') fail(`field "${name}" needs a type`);
  const numbers = number === '-' ? [] : number.split('.').map(Number);
  const line = takeRange(rest, fail);
  const flags = line.rest.map(parseRanged);
  const stretches = pieces(
    line.range,
    flags.map((flag) => flag.range),
  );
  return stretches.map((stretch) => {
    const held = flags.filter((flag) => covers(flag.range, stretch)).map(({ word }) => word);
    const parsed = parseFlags(held, fail);
    return { name, numbers, type, ...parsed, flags: { ...parsed.flags, ...stretch }, description };
  });
}

/** Takes `since=` and `until=` out of the words of a line. */
function takeRange(words: readonly string[], fail: Fail): { readonly range: VersionRange; readonly rest: string[] } {
  const range: { since?: number; until?: number } = {};
  const rest = words.filter((word) => {
    const [, name, text = ''] = /^(since|until)=(.*)$/.exec(word) ?? [];
    if (name !== 'since' && name !== 'until') return true;
    range[name] = parseMinor(text) ?? fail(`"${text}" is not a version such as 1.36`);
    return false;
  });
  return { range, rest };
}

function parseType(words: readonly string[], description: string): OpenType {
  const [head = '', name = '', ...flags] = words;
  const unions: UnionDefinition[] = [];
  let checkedFirst: readonly string[] = [];
  for (const flag of flags) {
    if (flag.startsWith('checked(')) checkedFirst = flag.slice(8, -1).match(/\{[^}]*\}|\S+/g) ?? [];
    const match = /^union\((.*?):(.*)\)$/.exec(flag);
    if (match === null) continue;
    const pairs = (match[2] ?? '').split(',').map((pair) => pair.split('=') as [string, string]);
    unions.push({ discriminator: match[1] ?? '', fields: Object.fromEntries(pairs) });
  }
  const isAtomic = flags.includes('atomic');
  const isGranular = flags.includes('granular');
  const hasOwnRules = flags.includes('ownrules');
  const internal = flags.find((flag) => /^internal(\(|$)/.test(flag))?.slice('internal('.length, -1);
  return {
    name,
    isKind: head === 'kind',
    isAtomic,
    isGranular,
    hasOwnRules,
    internal,
    unions,
    checkedFirst,
    fields: [],
    description,
  };
}

function parseResource(words: readonly string[], fail: Fail): OpenResource {
  const [, plural = '', kind = '', scope = '', ...others] = words;
  const { range, rest } = takeRange(others, fail);
  if (scope !== 'namespaced' && scope !== 'cluster') fail(`resource "${plural}" is either namespaced or cluster`);
  const options = new Map(rest.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  const listed = (name: string): string[] => options.get(name)?.split(',') ?? [];
  return {
    plural,
    singular: options.get('singular') ?? kind.toLowerCase(),
    kind,
    namespaced: scope === 'namespaced',
    shortNames: listed('short'),
    categories: listed('categories'),
    verbs: options.has('verbs') ? listed('verbs') : ALL_VERBS,
    ...range,
    subresources: [],
  };
}

function parseSubresource(words: readonly string[], fail: Fail): SubresourceDefinition {
  const [, name = '', type = '', verbs = '', ...rest] = words;
  return { name, type, verbs: verbs.replace(/^verbs=/, '').split(','), ...takeRange(rest, fail).range };
}
