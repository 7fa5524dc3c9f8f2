export { rootCaPublisher } from './root-ca-publisher.ts';
