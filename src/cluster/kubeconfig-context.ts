import { hostname } from 'node:os';
import { isProcessRunning } from '../base/index.ts';
import { changeFor, changeKubeconfig, type ClusterAccess, type KubeconfigOptions } from './kubeconfig.ts';
import type { KubeconfigChange, NamedEntry } from './kubeconfig-text.ts';

export interface ContextOptions extends KubeconfigOptions {
  /** True if the cluster's data ends with its process; its entries are then removed when it stops. */
  readonly isEphemeral: boolean;
  /** The process that serves the cluster; default this one. */
  readonly pid?: number;
}

/** What a running cluster notes in its context, as an extension that kubectl keeps. */
interface Mark {
  readonly pid: number;
  readonly host: string;
  readonly isEphemeral: boolean;
  /** The context that was current before. */
  readonly previous: string;
}

type Config = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, unknown>>;

const EXTENSION = 'keelson';
const SECTIONS = ['clusters', 'users', 'contexts'] as const;

/**
 * The context of a running cluster in a kubeconfig.
 *
 * A name that another cluster has gets a number: `keelson-2`. A name is free again when its cluster is the same one (by its
 * certificate authority), or had its data in the memory of a process that has ended.
 */
export class KubeconfigContext {
  readonly path: string;
  /** The name that it got. */
  readonly name: string;
  readonly #wantedName: string;
  readonly #options: ContextOptions;

  private constructor(
    path: string,
    options: ContextOptions,
    names: { readonly name: string; readonly wanted: string },
  ) {
    this.path = path;
    this.name = names.name;
    this.#wantedName = names.wanted;
    this.#options = options;
  }

  /** Writes the cluster into the kubeconfig and makes it current. */
  static async write(path: string, access: ClusterAccess, options: ContextOptions): Promise<KubeconfigContext> {
    let name = access.name;
    await changeKubeconfig(path, options, (config) => {
      name = freeName(config, access, options);
      return entering(config, { ...access, name }, options);
    });
    return new KubeconfigContext(path, options, { name, wanted: access.name });
  }

  /** A context that was written before, for its release. */
  static written(path: string, name: string, options: ContextOptions): KubeconfigContext {
    return new KubeconfigContext(path, options, { name, wanted: name });
  }

  /** True if another cluster had the wanted name. */
  get isRenamed(): boolean {
    return this.name !== this.#wantedName;
  }

  /** Writes renewed credentials; the current context stays what it is. */
  async renew(access: ClusterAccess): Promise<void> {
    await changeKubeconfig(this.path, this.#options, (config) => {
      if (!this.#isOurs(config)) return undefined;
      const { entries, defaults } = changeFor({ ...access, name: this.name });
      return { entries: { clusters: entries['clusters'] ?? [], users: entries['users'] ?? [] }, defaults, members: {} };
    });
  }

  /** Makes the context current that was so before, where this one still is. Returns that context, if it changed. */
  async release(): Promise<string | undefined> {
    let current: string | undefined;
    await changeKubeconfig(this.path, this.#options, (config) => {
      if (!this.#isOurs(config)) return undefined;
      const wasCurrent = config['current-context'] === this.name;
      const previous = liveOrBefore(config, markOf(config, this.name)?.previous ?? '');
      if (wasCurrent) current = previous;
      return leaving(config, this.name, { previous, isCurrent: wasCurrent, isEphemeral: this.#options.isEphemeral });
    });
    return current;
  }

  #isOurs(config: Config): boolean {
    const mark = markOf(config, this.name);
    return mark !== undefined && isMarkOf(mark, this.#options);
  }
}

function entering(config: Config, access: ClusterAccess, options: ContextOptions): KubeconfigChange {
  const { name } = access;
  const change = changeFor(access);
  const current = String(config['current-context'] ?? '');
  const before = current === name ? (markOf(config, name)?.previous ?? '') : current;
  const mark: Mark = {
    pid: options.pid ?? process.pid,
    host: hostname(),
    isEphemeral: options.isEphemeral,
    previous: liveOrBefore(config, before),
  };
  const known = entryOf(config, 'contexts', name)?.['context'] as Members | undefined;
  const dead = contextsOf(config).filter((each) => each !== name && isAbandoned(config, each));
  return {
    ...change,
    entries: { ...change.entries, contexts: [marked(name, { ...known, cluster: name, user: name }, mark)] },
    removed: Object.fromEntries(SECTIONS.map((section) => [section, dead])),
  };
}

interface Leaving {
  readonly previous: string;
  readonly isCurrent: boolean;
  readonly isEphemeral: boolean;
}

function leaving(config: Config, name: string, { previous, isCurrent, isEphemeral }: Leaving): KubeconfigChange {
  const members: Record<string, string> = isCurrent ? { 'current-context': previous } : {};
  const later = contextsOf(config).flatMap((each) => {
    const mark = markOf(config, each);
    return mark?.previous === name ? [marked(each, contextOf(config, each), { ...mark, previous })] : [];
  });
  if (isEphemeral)
    return {
      entries: { contexts: later },
      removed: Object.fromEntries(SECTIONS.map((section) => [section, [name]])),
      members,
      defaults: {},
    };
  return { entries: { contexts: [marked(name, contextOf(config, name), undefined), ...later] }, members, defaults: {} };
}

/** The wanted name, or that with the first number that no other cluster has. */
function freeName(config: Config, access: ClusterAccess, options: ContextOptions): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? access.name : `${access.name}-${number}`;
    const isTaken = SECTIONS.some((section) => entryOf(config, section, name) !== undefined);
    if (!isTaken || isAbandoned(config, name) || isSame(config, name, { access, options })) return name;
  }
}

/** True for the context of a cluster whose data was in the memory of a process that has ended. */
function isAbandoned(config: Config, name: string): boolean {
  const mark = markOf(config, name);
  return mark !== undefined && mark.isEphemeral && !isRunning(mark);
}

interface Writing {
  readonly access: ClusterAccess;
  readonly options: ContextOptions;
}

/** True for the context of the same cluster, written for the same process or for one that has ended. */
function isSame(config: Config, name: string, { access, options }: Writing): boolean {
  const mark = markOf(config, name);
  if (mark !== undefined && isRunning(mark) && !isMarkOf(mark, options)) return false;
  const cluster = entryOf(config, 'clusters', name)?.['cluster'] as Members | undefined;
  return cluster?.['certificate-authority-data'] === Buffer.from(access.certificateAuthority).toString('base64');
}

/** True if the mark is that of the process that serves the cluster. */
function isMarkOf({ pid, host }: Mark, options: ContextOptions): boolean {
  return pid === (options.pid ?? process.pid) && host === hostname();
}

/** The context, or if its cluster has ended, the nearest one before it whose cluster has not; empty if there is none. */
function liveOrBefore(config: Config, name: string): string {
  const seen = new Set<string>();
  let found = name;
  while (!seen.has(found)) {
    seen.add(found);
    const mark = markOf(config, found);
    if (mark === undefined || isRunning(mark)) return entryOf(config, 'contexts', found) === undefined ? '' : found;
    found = mark.previous;
  }
  return '';
}

function isRunning({ pid, host }: Mark): boolean {
  return host !== hostname() || isProcessRunning(pid); // another machine's processes cannot be seen
}

function contextsOf(config: Config): readonly string[] {
  return ((config['contexts'] ?? []) as readonly NamedEntry[]).map(({ name }) => name);
}

function entryOf(config: Config, section: string, name: string): NamedEntry | undefined {
  return ((config[section] ?? []) as readonly NamedEntry[]).find((entry) => entry.name === name);
}

function contextOf(config: Config, name: string): Members {
  return (entryOf(config, 'contexts', name)?.['context'] ?? {}) as Members;
}

interface Extension {
  readonly name?: unknown;
  readonly extension?: unknown;
}

function extensionsOf(context: Members): readonly Extension[] {
  return Array.isArray(context['extensions']) ? (context['extensions'] as readonly Extension[]) : [];
}

function markOf(config: Config, name: string): Mark | undefined {
  const noted = extensionsOf(contextOf(config, name)).find((each) => each.name === EXTENSION)?.extension;
  const { pid, host, isEphemeral, previous } = (noted ?? {}) as Partial<Mark>;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
  return { pid, host, isEphemeral: isEphemeral === true, previous: typeof previous === 'string' ? previous : '' };
}

function marked(name: string, context: Members, mark: Mark | undefined): NamedEntry {
  const { extensions: _, ...rest } = context;
  const others = extensionsOf(context).filter((each) => each.name !== EXTENSION);
  const extensions = mark === undefined ? others : [...others, { name: EXTENSION, extension: { ...mark } }];
  return { name, context: { ...rest, ...(extensions.length === 0 ? {} : { extensions }) } };
}
