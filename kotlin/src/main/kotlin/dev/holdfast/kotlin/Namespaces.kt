package dev.holdfast.kotlin

import dev.holdfast.NamespaceOptions
import dev.holdfast.ObjectContext
import dev.holdfast.ObjectFactory
import dev.holdfast.ObjectNamespace
import dev.holdfast.ObjectRegistrar
import dev.holdfast.ObjectRuntime

/**
 * Registers a namespace: `objects.namespace<Cart>("carts", ::CartObject)`.
 *
 * @param T the interface of the objects; without `suspend` functions, as objects run on threads
 * @param name as for [ObjectRegistrar.namespace]
 * @param factory creates the instances
 * @param options what differs from the defaults; codecs for ranges are added ([withRanges])
 * @return this registrar
 * @throws dev.holdfast.errors.NamespaceException as [ObjectRegistrar.namespace]
 */
public inline fun <reified T : Any> ObjectRegistrar.namespace(
  name: String,
  factory: ObjectFactory<out T>,
  options: NamespaceOptions = NamespaceOptions.DEFAULT,
): ObjectRegistrar = namespace(name, T::class.java, factory, options.withRanges())

/**
 * Returns the namespace with this name, for callers outside of all objects.
 *
 * @param T the interface with which it is registered
 * @param name as it is registered
 * @throws dev.holdfast.errors.NamespaceException as [ObjectRuntime.namespace]
 */
public inline fun <reified T : Any> ObjectRuntime.namespace(name: String): ObjectNamespace<T> =
  namespace(name, T::class.java)

/**
 * Returns the namespace with this name, for calls of other objects by this one.
 *
 * @param T the interface with which it is registered
 * @param name as it is registered
 * @throws dev.holdfast.errors.NamespaceException as [ObjectContext.namespace]
 */
public inline fun <reified T : Any> ObjectContext.namespace(name: String): ObjectNamespace<T> =
  namespace(name, T::class.java)
