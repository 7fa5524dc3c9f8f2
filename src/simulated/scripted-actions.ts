import type { Clock } from '../base/index.ts';
import type {
  ActionExecutor,
  ActionOutcome,
  ActionTarget,
  ContainerAction,
  ContainerReadiness,
  ContainerStatus,
} from '../node/index.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';

/** Answers probes according to the script, whatever they check. Hooks succeed, except for commands that the script lets fail. */
export class ScriptedActions implements ActionExecutor {
  readonly #clock: Clock;
  readonly #registry: SandboxRegistry;

  constructor(clock: Clock, registry: SandboxRegistry) {
    this.#clock = clock;
    this.#registry = registry;
  }

  readiness({ id }: ContainerStatus): ContainerReadiness {
    return this.#registry.findContainer(id)?.readiness ?? { isStarted: true, isReady: true };
  }

  async run({ exec }: ContainerAction, { containerId, purpose }: ActionTarget): Promise<ActionOutcome> {
    const { readiness, unhealthyAtMs, script } = this.#registry.running(containerId);
    const { isStarted, isReady, changesAtMs } = readiness;
    switch (purpose) {
      case 'startup':
        return outcome(isStarted, changesAtMs);
      case 'readiness':
        return outcome(isReady, changesAtMs);
      case 'liveness':
        return outcome(this.#clock.now() < unhealthyAtMs, unhealthyAtMs);
      case 'postStart':
      case 'preStop':
        return outcome(exec === undefined || script.execCode === 0);
    }
  }
}

function outcome(isSuccess: boolean, sameUntilMs = Infinity): ActionOutcome {
  return { result: isSuccess ? 'success' : 'failure', output: isSuccess ? '' : 'scripted', sameUntilMs };
}
