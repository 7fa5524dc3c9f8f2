import { aborted, AbortScope, type Clock, type Logger, messageOf, type Random, type Runnable } from '../base/index.ts';
import type { Plugin, PluginHandler } from './plugin-handler.ts';
import { PluginRegistration } from './plugin-registration.ts';
import { SocketFolder } from './socket-folder.ts';

const MAX_PLUGINS = 256;

export interface PluginWatcherOptions {
  /** Such as `/var/lib/kubelet/plugins_registry`; it is created. */
  readonly folder: string;
  /** One for each type. Plugins of other types are refused. */
  readonly handlers: readonly PluginHandler[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A socket that is in the folder now. */
interface WatchedSocket {
  readonly mark: string;
  readonly scope: AbortScope;
  isGone: boolean;
  /** Resolves when the plugin is deregistered after the socket has gone, or when the watcher has stopped. */
  over: Promise<void>;
  plugin: Plugin | undefined;
}

/**
 * Registers the plugins whose sockets are in a folder: asks each for its name, type and versions, hands it to the handler of its type, and
 * tells it the outcome. Failures are tried again with back-off for as long as the socket is there.
 *
 * Guarantees: for one socket, `register` and `deregister` never overlap. A socket that was made again is deregistered and registered.
 * Plugins stay registered when the watcher stops: the next run of the agent finds their sockets again.
 */
export class PluginWatcher implements Runnable {
  readonly #options: PluginWatcherOptions;
  readonly #sockets = new Map<string, WatchedSocket>();
  /** Deregistrations of sockets that are gone. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(options: PluginWatcherOptions) {
    this.#options = options;
  }

  /** Those that are registered now. */
  plugins(): readonly Plugin[] {
    return [...this.#sockets.values()].flatMap(({ plugin }) => (plugin === undefined ? [] : [plugin]));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, folder } = this.#options;
    using sockets = new SocketFolder(folder, { clock, log });
    while (!signal.aborted) {
      try {
        this.#compare(await sockets.sockets(), signal);
      } catch (error) {
        log.warn('folder of plugins cannot be read', { folder, error: messageOf(error) });
      }
      await sockets.changed(signal);
    }
    await Promise.all([...[...this.#sockets.values()].map(({ over }) => over), ...this.#leaving.values()]);
    this.#sockets.clear();
  }

  #compare(found: ReadonlyMap<string, string>, signal: AbortSignal): void {
    for (const [path, watched] of this.#sockets) {
      const { mark, over, scope } = watched;
      if (found.get(path) === mark) continue;
      this.#sockets.delete(path);
      watched.isGone = true;
      this.#leaving.set(path, over);
      void over.finally(() => {
        if (this.#leaving.get(path) === over) this.#leaving.delete(path);
      });
      scope.abort();
    }
    for (const [path, mark] of found) {
      if (this.#sockets.has(path)) continue;
      if (this.#sockets.size >= MAX_PLUGINS) {
        this.#options.log.warn('plugin is ignored: there are too many', { socket: path, limit: MAX_PLUGINS });
        return;
      }
      const watched: WatchedSocket = {
        mark,
        scope: new AbortScope(signal),
        isGone: false,
        over: Promise.resolve(),
        plugin: undefined,
      };
      this.#sockets.set(path, watched);
      watched.over = this.#follow(path, watched);
    }
  }

  /** One socket, from its appearance to its end. */
  async #follow(path: string, watched: WatchedSocket): Promise<void> {
    const { handlers, clock, random, log } = this.#options;
    await this.#leaving.get(path); // the plugin that was there before
    const registration = new PluginRegistration(path, {
      ...{ handlers, clock, random, log },
      changed: (plugin) => (watched.plugin = plugin),
    });
    using scope = watched.scope;
    await registration.register(scope.signal);
    await aborted(scope.signal);
    if (watched.isGone) await registration.deregister();
  }
}
