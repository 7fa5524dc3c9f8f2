import { delimiter } from 'node:path';
import { type Clock, type Duration, millisecondsOf, RealClock } from '../../base/index.ts';
import { asCniError, CniError } from '../cni-error.ts';
import { isAtLeast, UNSTATED_VERSION } from '../cni-version.ts';
import type { NetworkConfiguration } from '../configuration/network-configuration.ts';
import { checkContainerId, checkInterfaceName, checkNetworkName } from '../configuration/network-name.ts';
import type { PluginConfiguration } from '../configuration/plugin-configuration.ts';
import type { VersionedResult } from '../results/cni-result.ts';
import { parseResult } from '../results/read-result.ts';
import { argsText, type Attachment, DEFAULT_INTERFACE, type ValidAttachment } from './attachment.ts';
import { ContainerTurns } from './container-turns.ts';
import { callPlugin } from './execute-plugin.ts';
import { findPlugin } from './find-plugin.ts';
import { pluginVersions } from './plugin-version.ts';
import { requestConfiguration, type RequestAdditions } from './request-configuration.ts';
import { CACHE_FOLDER, ResultCache } from './result-cache.ts';

export interface CniRunnerOptions {
  /** Folders of plugins, in the order in which they are searched. */
  readonly pluginFolders: readonly string[];
  /** Where results are kept between ADD and DEL; default libcni's, `/var/lib/cni`. */
  readonly cacheFolder?: string;
  /** How long one plugin may run; default 2m. */
  readonly timeout?: Duration;
  /** What plugins inherit, beside the variables of CNI; default the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Gets what plugins print on standard error when they succeed; default it is dropped. */
  readonly onStderr?: (text: string) => void;
  /** Default that of the machine. */
  readonly clock?: Clock;
}

/** Options of every command. */
export interface RunOptions {
  /** Kills the plugin that runs. A DEL should follow an ADD that was stopped. */
  readonly signal?: AbortSignal;
}

/** Options of the command GC. */
export interface GcOptions extends RunOptions {
  /** What still exists. Attachments of the cache that are not in it get a DEL. By default nothing exists, and plugins get no list. */
  readonly valid?: readonly ValidAttachment[];
}

const DEFAULT_TIMEOUT = '2m';

/** Runs the plugins of networks, as a container runtime does. */
export function cniRunner(options: CniRunnerOptions): CniRunner {
  return new CniRunner(options);
}

/**
 * Guarantees: operations of one container are run one after the other, and `gc` beside no `add` and no `del` of this runner. A failure is
 * a `CniError` with the code and text of the plugin.
 */
export class CniRunner {
  readonly #options: CniRunnerOptions;
  readonly #cache: ResultCache;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #turns = new ContainerTurns();

  constructor(options: CniRunnerOptions) {
    this.#options = options;
    this.#cache = new ResultCache(options.cacheFolder ?? CACHE_FOLDER);
    this.#clock = options.clock ?? new RealClock();
    this.#timeoutMs = millisecondsOf(options.timeout ?? DEFAULT_TIMEOUT);
  }

  /** Adds a container to a network: ADD of each plugin in order, with the result of the one before. Returns the last one's. */
  add(network: NetworkConfiguration, attachment: Attachment, options: RunOptions = {}): Promise<VersionedResult> {
    return this.#turns.of(attachment.containerId, async () => {
      checkNetworkName(network.name);
      checkAttachment(attachment);
      let result: VersionedResult | undefined;
      for (const plugin of network.plugins) {
        const additions = { prevResult: result, capabilityArgs: attachment.capabilityArgs };
        result = await within(`plugin ${nameOf(plugin)} failed (add)`, async () => {
          const printed = await this.#call('ADD', { network, plugin, attachment, additions, ...options });
          return parseResult(printed, network.cniVersion);
        });
      }
      if (result === undefined) throw new CniError('InvalidConfiguration', `network "${network.name}" has no plugins`);
      await this.#cache.put(result, network.text, network.name, attachment);
      return result;
    });
  }

  /** Asks each plugin whether what ADD made is still as it should be. */
  check(network: NetworkConfiguration, attachment: Attachment, options: RunOptions = {}): Promise<void> {
    return this.#turns.of(attachment.containerId, async () => {
      if (!isAtLeast(network.cniVersion, '0.4.0'))
        throw new CniError(
          'IncompatibleVersion',
          `configuration version "${network.cniVersion}" does not support the CHECK command`,
        );
      if (network.disableCheck) return;
      checkAttachment(attachment);
      const prevResult = await this.#cache.result(network.name, attachment, network.cniVersion);
      const additions = { prevResult, capabilityArgs: attachment.capabilityArgs };
      for (const plugin of network.plugins)
        await this.#call('CHECK', { network, plugin, attachment, additions, ...options });
    });
  }

  /** Undoes ADD: DEL of each plugin, the last one first. May be called again, and after an ADD that failed. */
  del(network: NetworkConfiguration, attachment: Attachment, options: RunOptions = {}): Promise<void> {
    return this.#turns.of(attachment.containerId, () => this.#del(network, attachment, options));
  }

  /**
   * Removes what is left of containers that are gone: DEL of cached attachments that are not valid any more, then GC of each plugin, if
   * the version has it. Goes on after errors, and throws them together.
   */
  gc(network: NetworkConfiguration, { valid, signal }: GcOptions = {}): Promise<void> {
    return this.#turns.alone(async () => {
      if (network.disableGC) return;
      const failures: CniError[] = [];
      const attempt = async (prefix: string, work: () => Promise<unknown>): Promise<void> => {
        await within(prefix, work).catch((error: unknown) => failures.push(asCniError(error)));
        signal?.throwIfAborted();
      };
      for (const attachment of await this.#staleOf(network, valid ?? [])) {
        const { containerId, ifName } = attachment;
        await attempt(`failed to delete stale attachment ${containerId} ${ifName}`, () =>
          this.#del(network, attachment, { signal }),
        );
      }
      if (isAtLeast(network.cniVersion, '1.1.0'))
        for (const plugin of network.plugins)
          await attempt(`failed to GC plugin ${plugin.type}`, () =>
            this.#call('GC', { network, plugin, additions: { validAttachments: valid }, signal }),
          );
      const [first] = failures;
      if (first !== undefined)
        throw new CniError(first.code, failures.map((each) => each.message).join('\n'), { cause: first });
    });
  }

  /** Throws the error of the first plugin that cannot add containers now. Does nothing before version 1.1.0, which has no STATUS. */
  async status(network: NetworkConfiguration, { signal }: RunOptions = {}): Promise<void> {
    if (!isAtLeast(network.cniVersion, '1.1.0')) return;
    for (const plugin of network.plugins) await this.#call('STATUS', { network, plugin, additions: {}, signal });
  }

  /** Throws when a plugin is missing, or does not support the version; returns the capabilities that the network has. */
  async validate(network: NetworkConfiguration, options: RunOptions = {}): Promise<readonly string[]> {
    const version = network.cniVersion === '' ? UNSTATED_VERSION : network.cniVersion;
    const problems: string[] = [];
    for (const { type } of network.plugins) {
      try {
        const supported = await this.versions(type, options);
        if (!supported.includes(version))
          problems.push(`plugin "${type}" supports ${supported.join(', ')} and not version ${version}`);
      } catch (error) {
        options.signal?.throwIfAborted();
        problems.push(asCniError(error).message);
      }
    }
    if (problems.length > 0)
      throw new CniError('InvalidConfiguration', `cannot use network "${network.name}"`, {
        details: problems.join('; '),
      });
    const capabilities = network.plugins.flatMap((plugin) =>
      Object.entries(plugin.capabilities).flatMap(([name, isWanted]) => (isWanted ? [name] : [])),
    );
    return [...new Set(capabilities)];
  }

  /** The versions of the specification that a plugin supports. */
  async versions(type: string, { signal }: RunOptions = {}): Promise<readonly string[]> {
    const program = await findPlugin(type, this.#options.pluginFolders);
    return pluginVersions({ program, environment: this.#environment(), limits: this.#limits(signal) });
  }

  async #del(network: NetworkConfiguration, attachment: Attachment, { signal }: RunOptions): Promise<void> {
    checkNetworkName(network.name);
    checkAttachment(attachment);
    const prevResult = await this.#resultForDel(network, attachment);
    const additions = { prevResult, capabilityArgs: attachment.capabilityArgs };
    for (const plugin of network.plugins.toReversed())
      await within(`plugin ${nameOf(plugin)} failed (delete)`, () =>
        this.#call('DEL', { network, plugin, attachment, additions, signal }),
      );
    await this.#cache.remove(network.name, attachment);
  }

  /** Of an attachment whose cached result cannot be read, what can be deleted still is. */
  async #resultForDel(network: NetworkConfiguration, attachment: Attachment): Promise<VersionedResult | undefined> {
    if (!isAtLeast(network.cniVersion, '0.4.0')) return undefined;
    try {
      return await this.#cache.result(network.name, attachment, network.cniVersion);
    } catch (error) {
      if (!(error instanceof CniError)) throw error;
      await this.#cache.remove(network.name, attachment);
      return undefined;
    }
  }

  async #staleOf(network: NetworkConfiguration, valid: readonly ValidAttachment[]): Promise<readonly Attachment[]> {
    const kept = new Set(valid.map(({ containerID, ifname }) => `${containerID}/${ifname}`));
    const cached = await this.#cache.attachments();
    return cached.filter((each) => each.network === network.name && !kept.has(`${each.containerId}/${each.ifName}`));
  }

  async #call(command: string, call: PluginRun): Promise<string> {
    const { network, plugin, attachment, additions, signal } = call;
    const program = await findPlugin(plugin.type, this.#options.pluginFolders);
    const input = requestConfiguration(network, plugin, additions);
    const environment = {
      ...this.#environment(),
      CNI_COMMAND: command,
      CNI_CONTAINERID: attachment?.containerId ?? '',
      CNI_NETNS: attachment?.netns ?? '',
      CNI_IFNAME: attachment === undefined ? '' : (attachment.ifName ?? DEFAULT_INTERFACE),
      CNI_ARGS: argsText(attachment?.args),
    };
    return callPlugin({ program, environment, input, limits: this.#limits(signal) }, this.#options.onStderr);
  }

  #environment(): Readonly<Record<string, string | undefined>> {
    const { environment = process.env, pluginFolders } = this.#options;
    return { ...environment, CNI_PATH: pluginFolders.join(delimiter) };
  }

  #limits(signal: AbortSignal | undefined): { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined } {
    return { clock: this.#clock, timeoutMs: this.#timeoutMs, signal };
  }
}

interface PluginRun extends RunOptions {
  readonly network: NetworkConfiguration;
  readonly plugin: PluginConfiguration;
  readonly attachment?: Attachment;
  readonly additions: RequestAdditions;
}

function checkAttachment({ containerId, ifName = DEFAULT_INTERFACE }: Attachment): void {
  checkContainerId(containerId);
  checkInterfaceName(ifName);
}

function nameOf({ type, name }: PluginConfiguration): string {
  return `type="${type}"${name === '' ? '' : ` name="${name}"`}`;
}

/** Errors of the work say what was being done. */
async function within<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CniError) throw error.within(prefix);
    throw error;
  }
}
