import { connect } from 'keelson/client';
import { poolIpam } from './address-pools.ts';

void poolIpam((kubeconfig) => connect({ kubeconfig })).main();
