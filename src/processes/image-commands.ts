import { dirname, resolve } from 'node:path';
import { type ConfigurationKind, listOf, mapOf, objectOf, readConfiguration, TEXT } from '../api/index.ts';
import { messageOf } from '../base/index.ts';

/** The command that runs in place of an image. */
export interface ImageCommand {
  /** An image reference: exact, without a tag for all tags, or with `*` for any characters. */
  readonly image: string;
  /** The program and its first arguments, in place of the image's entry point and of the container's `command`. */
  readonly command: readonly string[];
  /** In place of the container's `args`; undefined to use those. */
  readonly args: readonly string[] | undefined;
  /** Absolute. */
  readonly workingDirectory: string;
  /** Added to the variables of the container; these win. */
  readonly env: Readonly<Record<string, string>>;
  /** The namespaces whose pods run it; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
}

interface WrittenCommand {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDirectory?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly namespaces?: readonly string[];
}

const MAX_COMMANDS = 1000;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const FILE: ConfigurationKind = {
  group: 'keelson.dev',
  kind: 'RunImages',
  versions: ['v1'],
  fields: (version) => ({
    images: listOf(
      objectOf(`${version}.ImageCommand`, {
        image: TEXT,
        command: listOf(TEXT),
        args: listOf(TEXT),
        workingDirectory: TEXT,
        env: mapOf(TEXT),
        namespaces: listOf(TEXT),
      }),
    ),
  }),
};

/** The images that run as processes of this machine, and their commands. */
export class ImageCommands {
  readonly #commands: readonly { readonly command: ImageCommand; readonly matches: (image: string) => boolean }[];

  constructor(commands: readonly ImageCommand[]) {
    this.#commands = commands.map((command) => ({ command, matches: matcher(command.image) }));
  }

  /** Whether a command stands for the image in any namespace. */
  has(image: string): boolean {
    return this.#commands.some(({ matches }) => matches(image));
  }

  /** The first command whose image and namespaces match; undefined for images that are simulated. */
  find(image: string, namespace: string): ImageCommand | undefined {
    return this.#commands.find(
      ({ command, matches }) => command.namespaces?.includes(namespace) !== false && matches(image),
    )?.command;
  }
}

/**
 * Reads a file that maps images to commands. Relative working directories are relative to the folder of the file, which is also the
 * default.
 */
export function readImageCommands(text: string, path: string): ImageCommands {
  let images: readonly WrittenCommand[];
  try {
    images =
      readConfiguration<{ readonly images?: readonly WrittenCommand[] }>(text, [FILE], { isStrict: true }).images ?? [];
  } catch (cause) {
    throw new Error(`Cannot read "${path}": ${messageOf(cause)}`, { cause });
  }
  const problem = (field: string, words: string): Error => new Error(`Cannot use "${path}": ${field} ${words}`);
  if (images.length === 0) throw problem('images', 'must name at least one image and its command');
  if (images.length > MAX_COMMANDS)
    throw problem('images', `must have at most ${MAX_COMMANDS} items, has ${images.length}`);
  const folder = dirname(resolve(path));
  return new ImageCommands(
    images.map(({ image = '', command = [], args, workingDirectory = '', env = {}, namespaces }, index) => {
      const field = `images[${index}]`;
      if (image === '' || /\s/.test(image))
        throw problem(`${field}.image`, `must be an image, got ${JSON.stringify(image)}`);
      if ((command[0] ?? '') === '') throw problem(`${field}.command`, 'must be a list that begins with a program');
      const texts = [...command, ...(args ?? []), ...Object.values(env), workingDirectory];
      if (texts.some((each) => each.includes('\0'))) throw problem(field, 'must have no NUL characters');
      const name = Object.keys(env).find((each) => !VARIABLE.test(each));
      if (name !== undefined)
        throw problem(`${field}.env`, `has a variable that no program can read, ${JSON.stringify(name)}`);
      if (namespaces?.length === 0) throw problem(`${field}.namespaces`, 'must name a namespace; leave it out for all');
      return { image, command, args, workingDirectory: resolve(folder, workingDirectory), env, namespaces };
    }),
  );
}

/** A predicate on the images of containers. `nginx` is the same as `docker.io/library/nginx`. */
function matcher(pattern: string): (image: string) => boolean {
  if (!pattern.includes('*')) {
    const wanted = parse(pattern);
    return (image) => {
      const { name, version } = parse(image);
      return name === wanted.name && (wanted.version === '' || wanted.version === version);
    };
  }
  const pieces = pattern.split('*');
  return (image) => {
    const { name, version } = parse(image);
    const written = image.slice(0, image.length - version.length);
    return [image, written, name, name + version].some((text) => matchesPieces(text, pieces));
  };
}

/** Whether a text is these pieces with anything between them. Linear in the text for each piece, unlike a regular expression. */
function matchesPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}

/** The name of an image with its registry, and its version: `:tag`, `@digest`, `:tag@digest`, or nothing. */
function parse(image: string): { readonly name: string; readonly version: string } {
  const at = image.indexOf('@');
  const undigested = at < 0 ? image : image.slice(0, at);
  const colon = undigested.indexOf(':', undigested.lastIndexOf('/') + 1);
  const name = colon < 0 ? undigested : undigested.slice(0, colon);
  const version = image.slice(name.length);
  const [first = ''] = name.split('/');
  const hasRegistry = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  if (hasRegistry) return { name, version };
  return { name: `docker.io/${name.includes('/') ? '' : 'library/'}${name}`, version };
}
