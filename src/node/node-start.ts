import { messageOf, type Runnable } from '../base/index.ts';
import type { NodeSettings, OpenNodeBackend } from './backend/index.ts';
import type { NodeAgentParts } from './compose-agent.ts';
import { NodeAgent } from './node-agent.ts';

const FIRST_OPEN_RETRY_MS = 1000;
const LAST_OPEN_RETRY_MS = 30_000;

interface StartParts extends NodeAgentParts {
  opened(agent: NodeAgent): void;
}

/** Opens the backend of a node, trying again until it succeeds, and runs the agent on it. Other nodes do not wait for it. */
export class NodeStart implements Runnable {
  readonly #settings: NodeSettings;
  readonly #open: OpenNodeBackend;
  readonly #parts: StartParts;

  constructor(settings: NodeSettings, open: OpenNodeBackend, parts: StartParts) {
    this.#settings = settings;
    this.#open = open;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const agent = await this.#start(signal);
    if (agent === undefined) return;
    this.#parts.opened(agent);
    await agent.run(signal);
  }

  /** Undefined when the signal aborts before the backend is open. */
  async #start(signal: AbortSignal): Promise<NodeAgent | undefined> {
    const { client, clock, random, log } = this.#parts;
    let agent: NodeAgent | undefined;
    const context = {
      client,
      clock,
      random,
      log,
      changed: () => agent?.backendChanged(),
      podChanged: (uid: string) => agent?.devicesChanged(uid),
      content: async (path: string) => agent?.content(path),
    };
    for (let delayMs = FIRST_OPEN_RETRY_MS; !signal.aborted; delayMs = Math.min(2 * delayMs, LAST_OPEN_RETRY_MS)) {
      try {
        const backend = await this.#open(this.#settings, context);
        agent = new NodeAgent(this.#settings, backend, this.#parts);
        return agent;
      } catch (error) {
        log.warn('backend of node cannot be opened yet', { error: messageOf(error), retryAfterMs: delayMs });
        await clock.sleep(delayMs, signal);
      }
    }
    return undefined;
  }
}
