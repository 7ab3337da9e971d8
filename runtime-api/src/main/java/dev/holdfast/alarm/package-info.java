/**
 * What the class of an object has to do with alarms: the handler, what it is given, and how a
 * failed handler is tried again. Alarms are set through {@link dev.holdfast.storage}; operators
 * list them through {@code dev.holdfast.NamespaceAlarms}.
 */
@NullMarked
package dev.holdfast.alarm;

import org.jspecify.annotations.NullMarked;
