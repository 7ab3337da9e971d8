/** Random programs on the key-value API, on both storage engines, against sorted maps. */
package dev.holdfast.embedded.model;
