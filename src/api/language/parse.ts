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
    const [head = '', second = ''] = words;
    if (code.startsWith(' ')) {
      if (open === 'type') types.at(-1)?.fields.push(parseField(words, description, fail));
      else if (open === 'resource' && head === 'subresource')
        resources.at(-1)?.subresources.push(parseSubresource(words));
      else fail(`"${head}" stands under nothing`);
      continue;
    }
    switch (head) {
      case 'group': {
        const slash = second.lastIndexOf('/');
        file.group = slash < 0 ? '' : second.slice(0, slash);
        if (file.group === 'core') file.group = '';
        file.version = second.slice(slash + 1);
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
  return { ...file, alias: file.package.split('.').slice(-2).join('/'), resources, types };
}

/** `code // description`; a line that starts with `#` is a comment. */
function splitDescription(line: string): { code: string; description: string } {
  if (line.trimStart().startsWith('#')) return { code: '', description: '' };
  const at = line.search(/(^|\s)\/\/ /);
  if (at < 0) return { code: line, description: '' };
  return { code: line.slice(0, at), description: line.slice(line.indexOf('// ', at) + 3).trim() };
}

function parseField(words: readonly string[], description: string, fail: (problem: string) => never): FieldDefinition {
  const [name = '', number = '', type = '', ...rest] = words;
  if (!/^(\d+(\.\d+)*|-)$/.test(number)) fail(`field "${name}" needs a protobuf number or "-", got "${number}"`);
  if (type === '') fail(`field "${name}" needs a type`);
  const numbers = number === '-' ? [] : number.split('.').map(Number);
  return { name, numbers, type, ...parseFlags(rest, fail), description };
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
  return { name, isKind: head === 'kind', isAtomic, unions, checkedFirst, fields: [], description };
}

function parseResource(words: readonly string[], fail: (problem: string) => never): OpenResource {
  const [, plural = '', kind = '', scope = '', ...rest] = words;
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
    subresources: [],
  };
}

function parseSubresource(words: readonly string[]): SubresourceDefinition {
  const [, name = '', type = '', verbs = ''] = words;
  return { name, type, verbs: verbs.replace(/^verbs=/, '').split(',') };
}
