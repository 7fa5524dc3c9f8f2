import { type Clock, type Logger, messageOf, type Random } from '../../base/index.ts';
import type { VolumeDriver } from '../../controllers/volume-sidecars/index.ts';
import { type CsiCapabilities, CsiClient, type CsiIdentity } from '../client/csi-client.ts';
import { Node } from '../protocol/csi-v1.ts';
import { socketDriver } from './socket-driver.ts';

export interface DriverConnectionOptions {
  /** `/csi/csi.sock`, or `unix:///csi/csi.sock`. */
  readonly address: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long a call may take; default 15 s. */
  readonly timeoutMs?: number;
  /** Whether the driver is also asked where its node is; default false. */
  readonly isOnNode?: boolean;
}

/** Between questions to a driver that is away or not ready. */
const RETRY_MS = 1000;
/** Between messages about that. */
const COMPLAINT_MS = 60_000;
/** Between looks at what a driver can do: another version of it may have taken the socket. */
const LOOK_MS = 30_000;

/** A driver behind a socket, as long as it stays the same. */
export class DriverConnection implements AsyncDisposable {
  readonly #options: DriverConnectionOptions;
  readonly #client: CsiClient;
  #segments: Readonly<Record<string, string>> = {};
  #known: { readonly identity: CsiIdentity; readonly capabilities: CsiCapabilities } | undefined;

  constructor(options: DriverConnectionOptions) {
    this.#options = options;
    this.#client = new CsiClient(options);
  }

  /** Waits until the driver is ready, and asks what it can do. Undefined if the signal aborts before. */
  async driver(signal: AbortSignal): Promise<VolumeDriver | undefined> {
    const { clock, log, address } = this.#options;
    for (let complainedAtMs = -Infinity; !signal.aborted; await clock.sleep(RETRY_MS, signal)) {
      try {
        if (!(await this.#client.isReady({ signal }))) throw new Error('it says that it is not ready');
        const [identity, capabilities] = [
          await this.#client.identity({ signal }),
          await this.#client.capabilities({ signal }),
        ];
        this.#known = { identity, capabilities };
        if (this.#options.isOnNode === true) {
          const { accessibleTopology } = await this.#client.call(Node.nodeGetInfo, {}, { signal });
          this.#segments = Object.fromEntries(accessibleTopology?.segments ?? []);
        }
        return socketDriver(this.#client, identity.name, capabilities);
      } catch (error) {
        if (signal.aborted || clock.monotonic() - complainedAtMs < COMPLAINT_MS) continue;
        complainedAtMs = clock.monotonic();
        log.warn('waiting for a CSI driver', { address, reason: messageOf(error) });
      }
    }
    return undefined;
  }

  /** Where the driver that was found says that its node is, as segments of its topology. Empty if it is not asked, or does not say. */
  get segments(): Readonly<Record<string, string>> {
    return this.#segments;
  }

  /** Resolves when the driver at the socket is another one, or can do something else, than `driver` said; or the signal aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    const { clock, log, address } = this.#options;
    for (await clock.sleep(LOOK_MS, signal); !signal.aborted; await clock.sleep(LOOK_MS, signal)) {
      try {
        const now = {
          identity: await this.#client.identity({ signal }),
          capabilities: await this.#client.capabilities({ signal }),
        };
        if (described(now) === described(this.#known)) continue;
        log.info('the CSI driver has changed', { address, name: now.identity.name });
        return;
      } catch (error) {
        if (!signal.aborted) log.debug('the CSI driver is away', { address, error });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

/** The name and all abilities, as one text. A newer version with the same abilities is the same driver. */
function described(
  driver: { readonly identity: CsiIdentity; readonly capabilities: CsiCapabilities } | undefined,
): string {
  const { identity, capabilities } = driver ?? {};
  const { services, controller, node, group } = capabilities ?? {};
  return JSON.stringify([
    identity?.name,
    ...[services, controller, node, group].map((set) => [...(set ?? [])].toSorted()),
  ]);
}
