"""Ordinary use of tronpy against a node: prints what it read as one line of JSON.

    python3 tronpy_use.py URL PRIVATE_KEY RECIPIENT USDT WITNESS
"""

import json
import sys

from tronpy import Tron
from tronpy.exceptions import AddressNotFound, BadKey, TransactionNotFound, ValidationError
from tronpy.keys import PrivateKey
from tronpy.providers import HTTPProvider

url, private_key, recipient, usdt, witness = sys.argv[1:]
client = Tron(HTTPProvider(url))
key = PrivateKey(bytes.fromhex(private_key))
owner = key.public_key.to_base58check_address()


def send(builder):
    """Builds, signs and sends; the receipt when it is in a block."""
    return builder.build().sign(key).broadcast().wait()


def raised(error, call):
    try:
        call()
    except error:
        return True
    return False


before = client.get_account_balance(recipient)
transfer = send(client.trx.transfer(owner, recipient, 1_500_000))
token = client.get_contract(usdt)
held = token.functions.balanceOf(recipient)
call = token.functions.transfer(recipient, 25)
sent = send(call.with_owner(owner).fee_limit(100_000_000))
send(client.trx.freeze_balance(owner, 50_000_000, "ENERGY"))
send(client.trx.delegate_resource(owner, recipient, 10_000_000, "ENERGY"))
send(client.trx.vote_witness(owner, (witness, 20)))
send(client.trx.undelegate_resource(owner, recipient, 10_000_000, "ENERGY"))
send(client.trx.unfreeze_balance(owner, "ENERGY", unfreeze_balance=10_000_000))

stranger = PrivateKey.random()
unpaid = client.trx.transfer(owner, recipient, 10**16)
head = client.get_latest_block_number()

print(
    json.dumps(
        {
            "received": str(client.get_account_balance(recipient) - before),
            "transfer": transfer["receipt"].get("net_usage", 0) > 0,
            "tokens": token.functions.balanceOf(recipient) - held,
            "symbol": token.functions.symbol(),
            "decimals": token.functions.decimals(),
            "token_result": sent["receipt"]["result"],
            "energy": sent["receipt"]["energy_usage_total"],
            "votes": client.get_account(owner)["votes"][0]["vote_count"],
            "energy_limit": client.get_account_resource(owner)["EnergyLimit"] > 0,
            "permission": client.get_account_permission(owner)["owner"]["threshold"],
            "block": client.get_block(head)["block_header"]["raw_data"]["number"] == head,
            "parameters": any(
                one["key"] == "getEnergyFee" for one in client.get_chain_parameters()
            ),
            "transaction": client.get_transaction(transfer["id"])["ret"][0]["contractRet"],
            "no_account": raised(
                AddressNotFound,
                lambda: client.get_account(stranger.public_key.to_base58check_address()),
            ),
            "no_transaction": raised(
                TransactionNotFound, lambda: client.get_transaction_info("00" * 32)
            ),
            "forged": raised(
                BadKey, lambda: client.trx.transfer(owner, recipient, 1).build().sign(stranger)
            ),
            "unpaid": raised(ValidationError, lambda: send(unpaid)),
        }
    )
)
