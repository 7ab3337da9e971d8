package dev.holdfast.http.internal.endpoint;

import java.util.List;

/**
 * The endpoint of a path.
 *
 * @param endpoint the endpoint
 * @param ids the identifiers in the path, in order; that of a zone is the first
 */
public record Route(Endpoint endpoint, List<String> ids) {}
