/** A mistake that ends the current rule. */
export class Misfit {
  readonly message: string;
  /** The offending token. */
  readonly token: number;

  constructor(message: string, token: number) {
    this.message = message;
    this.token = token;
  }
}
