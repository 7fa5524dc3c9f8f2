import { ContainerConfigError } from './config-error.ts';

/**
 * The most characters that the variables, the command, the arguments and the paths of one container may have after expansion. Linux
 * starts no program with much more.
 */
export const MAX_CONTAINER_CHARACTERS = 1024 * 1024;

/**
 * How many characters the configuration of a container may still become. A pod of a few hundred bytes can ask for gigabytes, as
 * variables that hold earlier ones twice do; the budget is charged before a piece of text is built.
 */
export class ExpansionBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limit = MAX_CONTAINER_CHARACTERS) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Throws a `ContainerConfigError` when the characters exceed what is left. */
  take(characters: number): void {
    this.#used += characters;
    if (this.#used <= this.#limit) return;
    const message = `environment variables, command and arguments are longer than ${this.#limit} characters after expansion`;
    throw new ContainerConfigError(message, { reason: 'CreateContainerError' });
  }
}

/**
 * Replaces `$(NAME)` with the variable of that name. `$$` stands for one `$`; references to unknown variables are left as they are.
 * Takes time in proportion to the text and to what it becomes.
 *
 * Example: with A=1, `$(A) $$(A) $(B) $A` becomes `1 $(A) $(B) $A`.
 */
export function expandVariables(
  text: string,
  lookUp: (name: string) => string | undefined,
  budget: ExpansionBudget,
): string {
  const pieces: string[] = [];
  const add = (piece: string): void => {
    budget.take(piece.length);
    pieces.push(piece);
  };
  const lastClose = text.lastIndexOf(')');
  let done = 0;
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at)) {
    const next = text[at + 1];
    const end = next === '$' ? at + 2 : next === '(' && at < lastClose ? text.indexOf(')', at) + 1 : 0;
    if (end === 0) {
      at += 1;
      continue;
    }
    add(text.slice(done, at));
    add(next === '$' ? '$' : (lookUp(text.slice(at + 2, end - 1)) ?? text.slice(at, end)));
    done = at = end;
  }
  add(text.slice(done));
  return pieces.join('');
}
