import { Diagnosis } from './diagnosis.ts';
import { fitMessage } from './fit-error.ts';
import type { Rejection } from './rejection.ts';

/** A plugin has rejected a pod after its node was chosen, in Reserve or Permit. */
export class PodRejectedError extends Error {
  override readonly name = 'PodRejectedError';
  readonly rejection: Rejection;

  constructor(nodeName: string, rejection: Rejection) {
    super(messageFor(nodeName, rejection));
    this.rejection = rejection;
  }
}

function messageFor(nodeName: string, rejection: Rejection): string {
  const diagnosis = new Diagnosis();
  diagnosis.reject(nodeName, rejection);
  return fitMessage(1, diagnosis);
}
