import { type BrokerReply } from '../../../broker/index.ts';
import { expectThat } from '../../suite.ts';
import { objectOf } from '../answers.ts';
import { expectRefusal } from '../broker-world.ts';

/** 422 with an error code. */
export function expectCode(reply: BrokerReply, code: string): void {
  expectRefusal(reply, [422], 'the request');
  expectThat(
    objectOf(reply)['error'] === code,
    `the error is ${JSON.stringify(objectOf(reply)['error'])}, and not ${code}`,
  );
}
