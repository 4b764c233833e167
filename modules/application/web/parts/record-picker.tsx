// SPDX-License-Identifier: Apache-2.0
//
// Picks one of many by its name: typing finds it, arrows choose.
import type { ReactElement } from 'react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';

import { Glyph } from './glyph.tsx';

interface Properties {
    label: string;
    help?: string | undefined;
    items: { id: string; name: string }[];
    chosen: string;
    invalid?: boolean;
    autoFocus?: boolean;
    none: string;
    choose: (id: string) => void;
}

export function RecordPicker(properties: Properties): ReactElement {
    const { label, help, items, chosen, invalid, autoFocus, none, choose } = properties;
    return (
        <ComboBox className="field picker" defaultItems={items} selectedKey={chosen || null}
            menuTrigger="focus" allowsEmptyCollection isInvalid={invalid ?? false}
            onSelectionChange={(key) => choose(key === null ? '' : String(key))}>
            <Label>{label}</Label>
            <span className="pick-one">
                <Input autoFocus={autoFocus ?? false} title={help} />
                <Button className="btn plain"><Glyph name="down" /></Button>
            </span>
            <Popover className="popover picked" offset={2}>
                <section aria-label={label}>
                    <ListBox className="menu-list" renderEmptyState={() => (
                        <span className="menu-item one quiet">{none}</span>
                    )}>
                        {(item: { id: string; name: string }) => (
                            <ListBoxItem className="menu-item one" id={item.id} textValue={item.name}>
                                {item.name}
                            </ListBoxItem>
                        )}
                    </ListBox>
                </section>
            </Popover>
        </ComboBox>
    );
}
