/**
 * The HTTP API, for use in an application: {@link dev.holdfast.http.HttpApi} handles requests,
 * {@link dev.holdfast.http.Firewall} decides on those of sites, and {@link
 * dev.holdfast.http.Operator} creates zones and credentials. The server is a module of its own.
 */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
