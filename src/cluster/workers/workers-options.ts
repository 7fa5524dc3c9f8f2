/** How workers are started. */
export interface WorkersOptions {
  readonly count: number;
  /** The file of the program and its arguments, which must lead a worker to `runWorker`. */
  readonly program: string;
  readonly args: readonly string[];
}
