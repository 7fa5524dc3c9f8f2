/** A mistake that ends the rule that is being read. */
export class Misfit {
  readonly message: string;
  /** The token that is to blame. */
  readonly token: number;

  constructor(message: string, token: number) {
    this.message = message;
    this.token = token;
  }
}
