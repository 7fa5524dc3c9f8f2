import { GrpcError } from '../../wire/grpc/index.ts';

/** Refuses a call with a code of the specification: `new CsiError('RESOURCE_EXHAUSTED', 'the pool is full')`. */
export class CsiError extends GrpcError {}
