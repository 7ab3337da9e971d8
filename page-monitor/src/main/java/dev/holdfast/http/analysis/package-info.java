/**
 * Scoring of the scripts that pages load: interfaces that an application may implement, and simple
 * implementations.
 */
@NullMarked
package dev.holdfast.http.analysis;

import org.jspecify.annotations.NullMarked;
