package dev.holdfast.http.call;

import java.util.List;

/**
 * An authenticated request to a zone. Immutable.
 *
 * @param endpoint the operationId of the endpoint in the OpenAPI document
 * @param ids the identifiers in the path after that of the zone, in order
 * @param query the query string as received, without the question mark; empty if there is none
 * @param body the body; empty if there is none
 */
public record ZoneCall(String endpoint, List<String> ids, String query, String body) {}
