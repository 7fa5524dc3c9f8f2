interface CountedRequest {
  allocationMode?: string;
  count?: number;
}

/** A number of devices is one, if none is given. */
function defaultCount(request: CountedRequest): void {
  if (request.allocationMode === 'ExactCount' && (request.count ?? 0) === 0) request.count = 1;
}

interface AnyRequest extends CountedRequest {
  deviceClassName?: string;
  exactly?: CountedRequest;
  firstAvailable?: CountedRequest[];
}

/** Requests of all versions: v1beta1 says flat what the later ones say under `exactly`. */
export function defaultRequests(requests: readonly AnyRequest[] | undefined): void {
  for (const request of requests ?? []) {
    if (request.exactly !== undefined) defaultCount(request.exactly);
    if ((request.deviceClassName ?? '') !== '') {
      request.allocationMode ||= 'ExactCount';
      defaultCount(request);
    }
    for (const alternative of request.firstAvailable ?? []) defaultCount(alternative);
  }
}
