package dev.holdfast.http;

import java.util.Map;

/**
 * An answer, for whatever server sends it.
 *
 * @param status the HTTP status
 * @param headers by name; one value each
 * @param body the body, sent as UTF-8; empty if there is none
 */
public record ApiResponse(int status, Map<String, String> headers, String body) {}
