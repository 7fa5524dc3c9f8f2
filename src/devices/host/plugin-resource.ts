import type { PluginConnection, PluginDevice } from './plugin-connection.ts';

/** How long the node reports a resource whose plugin is gone. */
export const GRACE_MS = 5 * 60_000;

/** A resource that a plugin serves or served. */
export class PluginResource {
  readonly name: string;
  /** As last listed, by id. */
  devices: ReadonlyMap<string, PluginDevice> = new Map();
  connection: PluginConnection | undefined;
  /** When the plugin went away; undefined while it is connected. */
  stoppedAtMs: number | undefined;
  /** Whether the last plugin wants to be called before each start of a container. */
  needsPreStart = false;
  /** Whether the node reports the resource: its plugin has listed devices, in this run of the agent or an earlier one. */
  isReported = false;
  /** The last choice of devices: plugins are asked for their preference by one container at a time. */
  turn: Promise<unknown> = Promise.resolve();

  constructor(name: string) {
    this.name = name;
  }

  /** Ids of healthy devices; none while the plugin is away. */
  healthy(): ReadonlySet<string> {
    if (this.stoppedAtMs !== undefined) return new Set();
    return new Set([...this.devices.values()].filter(({ isHealthy }) => isHealthy).map(({ id }) => id));
  }

  isOver(nowMs: number): boolean {
    return this.stoppedAtMs !== undefined && nowMs - this.stoppedAtMs >= GRACE_MS;
  }

  /** Runs one at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.catch(() => undefined).then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }
}
