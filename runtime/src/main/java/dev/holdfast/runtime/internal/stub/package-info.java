/**
 * Step 1 of a call: stubs convert a call of an interface into a message to an object, with
 * arguments that the object owns. The namespace, which makes stubs and ids and lists objects, is
 * here. Before it: the application. After it: the instance.
 */
@NullMarked
package dev.holdfast.runtime.internal.stub;

import org.jspecify.annotations.NullMarked;
