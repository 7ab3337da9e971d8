/**
 * Events that objects emit, and their consumers: the durable way out of an object, for a
 * projection, a search index or a bridge to another system.
 */
@NullMarked
package dev.holdfast.event;

import org.jspecify.annotations.NullMarked;
