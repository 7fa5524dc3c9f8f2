import { StoreError } from '../errors.ts';

/** A file of the store is not as it was written, and where. */
export class FileDamage extends StoreError {
  readonly file: string;
  readonly offset: number;
  readonly problem: string;

  constructor(file: string, offset: number, problem: string) {
    super('Damaged', `Cannot read store file "${file}": ${problem} (at offset ${offset})`);
    this.file = file;
    this.offset = offset;
    this.problem = problem;
  }
}
