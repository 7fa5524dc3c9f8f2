// Writes docs/reference/public-names.md: every published name of every door, with the first sentence of its description.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');

/** A door of the package: the module that publishes it, and the guide for it. */
interface Door {
  readonly name: string;
  readonly source: string;
  readonly guide: string;
}

const GUIDES: Readonly<Record<string, string>> = {
  keelson: 'apps',
  'keelson/broker': 'service-brokers',
  'keelson/cel': 'cel',
  'keelson/checks': 'custom-resources',
  'keelson/client': 'client',
  'keelson/cni': 'cni',
  'keelson/credentials': 'registry-credentials',
  'keelson/cri': 'container-runtimes',
  'keelson/csi': 'storage-drivers',
  'keelson/devices': 'device-plugins',
  'keelson/flexvolume': 'flexvolume',
  'keelson/kubeconfig': 'client',
  'keelson/network': 'network-policy',
  'keelson/node': 'simulated-nodes',
  'keelson/scheduler': 'extending-the-scheduler',
  'keelson/server': 'admission',
  'keelson/testing': 'testing',
};

/** Where names of a folder are explained, if not in the guide of their door. The first that fits counts. */
const PLACES: readonly (readonly [folder: RegExp, guide: string])[] = [
  [/^src\/client\/informers\//, 'informers'],
  [/^src\/(client\/|api\/object-key)/, 'client'],
  [/^src\/kit\/resource\//, 'custom-resources'],
  [/^src\/kit\/apis\//, 'aggregation'],
  [/^src\/kit\/webhooks\/(token)/, 'authentication'],
  [/^src\/kit\/webhooks\/(authorization)/, 'authorization'],
  [/^src\/kit\/webhooks\//, 'webhooks'],
  [/^src\/kit\/extender\//, 'extending-the-scheduler'],
  [/^src\/kit\/kms\//, 'encryption'],
  [/^src\/kit\/plugin\//, 'kubectl-plugins'],
  [/^src\/kit\/rbac\//, 'operator'],
  [/^src\/kit\/(app|run|election)/, 'apps'],
  [/^src\/kit\//, 'controllers'],
  [/^src\/access\/audit\//, 'audit'],
  [/^src\/access\//, 'authorization'],
  [/^src\/cluster\/migration\//, 'backup'],
  [/^src\/network\/services\//, 'services'],
  [/^src\/cluster\//, 'embedding'],
  [/^src\/devices\/kit\/dra-/, 'dra-drivers'],
  [/^src\/testing\/explore\//, 'explore'],
];

/** Doors whose names are explained in several guides. */
const BROAD_DOORS = ['keelson', 'keelson/client', 'keelson/devices', 'keelson/network', 'keelson/server'];

/** A published name: where it is declared, and what its description says first. */
interface PublicName {
  readonly name: string;
  readonly file: string;
  readonly line: string;
}

/** The page, as it has to be. */
export function publicNamesPage(): string {
  const sections = doors().map((door) => {
    const names = [...exportsOf(join(root, door.source))];
    const isKinds = ({ file }: PublicName): boolean => file.endsWith('client/generated/kinds.ts');
    const kinds = names.filter(isKinds).map(({ name }) => `\`${name}\``);
    const published = new Set(names.map(({ name }) => name));
    const rows = names
      .filter((each) => !isKinds(each))
      .toSorted((left, right) => left.name.localeCompare(right.name, 'en'))
      .map(
        (each) =>
          `| \`${each.name}\` | ${lineOf(each, published)} | [${guideOf(each, door)}](../guides/${guideOf(each, door)}.md) |`,
      );
    const table = ['| name | | guide |', '|---|---|---|', ...rows];
    const more =
      kinds.length === 0
        ? []
        : ['', `And the ${kinds.length} kinds of Kubernetes, each a value and a type: ${kinds.join(', ')}.`];
    return [`## ${door.name}`, '', ...table, ...more].join('\n');
  });
  return `# Public names

Every name that the package publishes, by door. \`keelson/api/GROUP/VERSION\` has the types of the API besides. The page is made by \`npm run public-names\`, and a test compares it with
the package.

${sections.join('\n\n')}
`;
}

function doors(): readonly Door[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string; readonly default?: string }>>;
  };
  return Object.entries(exports).flatMap(([path, { types = '', default: code }]) => {
    if (code === undefined || types === '') return [];
    const name = path.replace(/^\./, 'keelson');
    return [
      { name, source: types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts'), guide: GUIDES[name] ?? 'apps' },
    ];
  });
}

function guideOf({ file }: PublicName, { name, guide }: Door): string {
  const isBroad = BROAD_DOORS.includes(name) || file.startsWith('src/testing/explore/');
  return (isBroad ? PLACES.find(([folder]) => folder.test(file))?.[1] : undefined) ?? guide;
}

/** What a module exports, each name once. */
function exportsOf(path: string): ReadonlySet<PublicName> {
  const found = new Map<string, PublicName>();
  const text = readFileSync(path, 'utf8');
  for (const [, list = '', from = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gms))
    for (const name of list
      .split(',')
      .map((each) => each.trim().replace(/^type /, ''))
      .filter((each) => each !== ''))
      found.set(name, declarationOf(name, resolve(dirname(path), from)));
  for (const [, from = ''] of text.matchAll(/^export (?:type )?\* from '([^']+)';/gm))
    for (const each of exportsOf(resolve(dirname(path), from))) found.set(each.name, each);
  for (const [, name = ''] of text.matchAll(DECLARATIONS)) found.set(name, declarationOf(name, path));
  return new Set(found.values());
}

const DECLARATIONS = /^export (?:declare )?(?:async )?(?:abstract )?(?:const|function\*?|class|interface|type) (\w+)/gm;

/** Follows re-exports to where a name is declared. */
function declarationOf(name: string, path: string): PublicName {
  const found = findDeclaration(name, path);
  if (found === undefined) throw new Error(`Cannot find what declares "${name}", which "${path}" exports`);
  return found;
}

function findDeclaration(name: string, path: string): PublicName | undefined {
  const text = readFileSync(path, 'utf8');
  const pattern = `((?:/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?)export (?:declare )?(?:async )?(?:abstract )?(?:const|function\\*?|class|interface|type) ${name}\\b`;
  const [, comment] = new RegExp(pattern).exec(text) ?? [];
  if (comment !== undefined) return { name, file: relative(root, path), line: sentenceOf(comment) };
  // what is imported may be exported by a statement of its own
  for (const [, list = '', from = ''] of text.matchAll(
    /^(?:export|import) (?:type )?\{([^}]*)\} from '(\.[^']+)';/gms,
  )) {
    if (!new RegExp(`\\b${name}\\b`).test(list)) continue;
    const below = findDeclaration(name, resolve(dirname(path), from));
    if (below !== undefined) return below;
  }
  for (const [, from = ''] of text.matchAll(/^export (?:type )?\* from '([^']+)';/gm)) {
    const below = findDeclaration(name, resolve(dirname(path), from));
    if (below !== undefined) return below;
  }
  return undefined;
}

/**
 * The description of a name; that of options without one names what takes them.
 * Example: `ConnectOptions` are the options of `connect()`, which the same door publishes.
 */
function lineOf({ name, line, file }: PublicName, published: ReadonlySet<string>): string {
  if (line !== '') return line;
  const owner = name.replace(/Options$/, '');
  const call = owner.charAt(0).toLowerCase() + owner.slice(1);
  if (owner !== name && published.has(call)) return `Options of \`${call}()\``;
  if (owner !== name && published.has(owner)) return `Options of \`${owner}\``;
  throw new Error(`"${name}" of ${file} is published: a comment must describe it`);
}

function sentenceOf(comment: string): string {
  const text = comment
    .replaceAll(/^\s*\/?\*+\/?|\*\/$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [sentence = ''] = /^.*?[.:](?= [-A-Z`]|$)/.exec(text) ?? [text];
  return sentence.replace(/[.:]$/, '').replaceAll('|', '\\|');
}
