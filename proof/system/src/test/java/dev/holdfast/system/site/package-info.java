/** The site that is built from the documents, as a reader's browser sees it. */
@NullMarked
package dev.holdfast.system.site;

import org.jspecify.annotations.NullMarked;
