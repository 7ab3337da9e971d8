/**
 * What operators do with a runtime: {@link dev.holdfast.operator.Operations} has the operations,
 * {@link dev.holdfast.operator.OperatorSocket} serves them to other processes of the same user, and
 * {@link dev.holdfast.operator.OperatorConnection} asks for them. An answer consists of maps,
 * lists, texts, numbers, booleans, bytes and null; the command line turns it into JSON.
 */
@NullMarked
package dev.holdfast.operator;

import org.jspecify.annotations.NullMarked;
