import type { Clock } from '../../base/index.ts';
import type { ActionExecutor, ActionOutcome, ActionTarget, ContainerAction } from '../runtime/index.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** Answers probes as the script says, whatever they ask for. Hooks go well, except for commands that the script lets fail. */
export class ScriptedActions implements ActionExecutor {
  readonly #clock: Clock;
  readonly #running: (id: string) => SimulatedContainer;

  constructor(clock: Clock, running: (id: string) => SimulatedContainer) {
    this.#clock = clock;
    this.#running = running;
  }

  async run({ exec }: ContainerAction, { containerId, purpose }: ActionTarget): Promise<ActionOutcome> {
    const { readiness, unhealthyAtMs, script } = this.#running(containerId);
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
