package dev.holdfast.http;

import java.util.Map;

/**
 * An answer, independent of the server that sends it.
 *
 * @param status the HTTP status
 * @param headers one value each, by name
 * @param body the body, sent as UTF-8; empty if there is none
 */
public record ApiResponse(int status, Map<String, String> headers, String body) {}
