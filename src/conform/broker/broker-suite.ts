import type { ConformSuite } from '../suite.ts';
import type { SuiteRequest } from '../suite-request.ts';
import { type BrokerSuiteOptions, readBrokerOptions } from './broker-options.ts';
import { BrokerWorld } from './broker-world.ts';
import { bindCases, unbindCases } from './cases/binding-cases.ts';
import { catalogCases } from './cases/catalog-cases.ts';
import { deprovisionCases } from './cases/deprovision-cases.ts';
import { provisionCases } from './cases/provision-cases.ts';
import { updateCases } from './cases/update-cases.ts';

/** The rules for service brokers, in the order in which they are tried. */
export function brokerSuite(options: BrokerSuiteOptions): ConformSuite<BrokerWorld> {
  return {
    kind: 'broker',
    title: 'Open Service Broker API 2.17',
    cases: [...catalogCases, ...provisionCases, ...updateCases, ...bindCases, ...unbindCases, ...deprovisionCases],
    open: (signal) => BrokerWorld.open(options, signal),
  };
}

export async function brokerSuiteFor(request: SuiteRequest): Promise<ConformSuite> {
  return brokerSuite(await readBrokerOptions(request)) as ConformSuite;
}
