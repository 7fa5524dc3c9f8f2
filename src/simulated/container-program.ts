import type { ContainerConfig } from '../node/index.ts';
import { isKnownProgram } from './shell/index.ts';

/** Images whose program is whatever `args` say, because they have no program of their own. */
const BARE_IMAGES: ReadonlySet<string> = new Set(['alpine', 'bash', 'busybox', 'debian', 'fedora', 'ubuntu']);
/** Images whose program runs until it is stopped, also in a Job. */
const SERVING_IMAGES: ReadonlySet<string> = new Set(['agnhost', 'pause']);

/** `registry.example/team/busybox:1.37@sha256:…` is `busybox`. */
function shortName(image: string): string {
  const [path = ''] = image.slice(image.lastIndexOf('/') + 1).split(/[:@]/);
  return path;
}

/** The words of the program that a container runs; none for the image's own program. */
export function programOf({
  command,
  args,
  image,
}: Pick<ContainerConfig, 'command' | 'args' | 'image'>): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  const [first = ''] = args;
  const isShell = /^(?:\/\S*\/)?(?:sh|bash|ash)$/.test(first);
  return isShell || BARE_IMAGES.has(shortName(image.userSpecifiedImage ?? image.image)) ? args : [];
}

/** Whether the image's own program serves forever. */
export function isServing(image: string): boolean {
  return SERVING_IMAGES.has(shortName(image));
}

/** Whether the small shell can run a program: it knows it, or it is a script in one of the mounted folders. */
export function canRun(words: readonly string[], mounts: readonly string[]): boolean {
  const [name = ''] = words;
  if (name === '') return false;
  return isKnownProgram(name) || mounts.some((mount) => name.startsWith(`${mount}/`));
}

/** A shell without a script, which reads commands from its input. */
export function isInteractiveShell(words: readonly string[]): boolean {
  const [name = '', ...args] = words;
  return /^(?:\/\S*\/)?(?:sh|bash|ash)$/.test(name) && args.every((arg) => /^-[il]+$/.test(arg));
}
